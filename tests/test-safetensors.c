/* test-safetensors.c - weight files: there and back, everything that can be wrong, and fuzzing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "damage.h"
#include "safetensors.h"

#define PATH "test-safetensors.tmp"

static void test_there_and_back(void **state)
{
    const float a[6] = {1, -2, 3.5f, 1e-30f, 0, 7}, b[2] = {8, 9};
    const bo__stored tensors[] = {
        {.name = "layer.weight", .dims = 2, .shape = {2, 3}, .size = 6, .data = a},
        {.name = "odd \"name\"\\\n", .dims = 1, .shape = {2}, .size = 2, .data = b},
        {.name = "scalar", .dims = 0, .size = 1, .data = b},
        {.name = "empty", .dims = 2, .shape = {0, 5}, .size = 0, .data = b},
    };
    const bo__text_pair text[] = {{"kind", "cnp"}, {"note", "σ \"floor\"\t0.1"}, {"", ""}};
    bo_message message;
    if (bo__safetensors_write(PATH, 4, tensors, 3, text, &message))
        fail_msg("%s", message.text);
    bo__safetensors *file;
    if (bo__safetensors_read(&file, PATH, &message))
        fail_msg("%s", message.text);
    assert_int_equal(file->count, 4);
    for (size_t i = 0; i < 4; i++) {
        const bo__stored *t = bo__safetensors_find(file, tensors[i].name);
        assert_non_null(t);
        assert_true(t->dims == tensors[i].dims && t->size == tensors[i].size &&
                    t->shape[0] == tensors[i].shape[0] && t->shape[1] == tensors[i].shape[1]);
        float copy[6] = {0};
        bo__safetensors_copy(file, t, copy);
        assert_memory_equal(copy, tensors[i].data, t->size * sizeof *copy);
    }
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(bo__safetensors_text(file, text[i].key), text[i].text);
    assert_null(bo__safetensors_find(file, "other"));
    assert_null(bo__safetensors_text(file, "other"));
    bo__safetensors_free(file);
    bo__safetensors_free(NULL);
    unlink(PATH);
}

/* The bytes of a file with this header and so many bytes of data. */
static unsigned char *bytes_of(const char *header, size_t data, size_t *length)
{
    size_t n = strlen(header);
    unsigned char *bytes = calloc(1, 8 + n + data + 1);
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(n >> 8 * i);
    memcpy(bytes + 8, header, n);
    *length = 8 + n + data;
    return bytes;
}

/* The header is refused, in words that hold `word`; NULL: it is accepted. */
static void expect(const char *header, size_t data, const char *word)
{
    size_t length;
    unsigned char *bytes = bytes_of(header, data, &length);
    bo__safetensors *file;
    bo_message message = {""};
    bo_status status = bo__safetensors_parse(&file, "F", bytes, length, &message);
    if (!word && status)
        fail_msg("%s refused: %s", header, message.text);
    if (word) {
        assert_int_equal(status, BO_EFORMAT);
        assert_null(file);
        if (!strstr(message.text, word) || strncmp(message.text, "F: ", 3))
            fail_msg("%s: '%s' does not say '%s'", header, message.text, word);
    }
    bo__safetensors_free(file);
    free(bytes);
}

#define T(name, shape, from, to)                                                                 \
    "\"" name "\":{\"dtype\":\"F32\",\"shape\":[" shape "],\"data_offsets\":[" from "," to "]}"

static void test_good_headers(void **state)
{
    expect("{}", 0, NULL);
    expect(" { } \n", 0, NULL);
    expect("{\"__metadata__\":{}}", 0, NULL);
    expect("{" T("a", "1,2", "0", "8") "}", 8, NULL);
    expect("{" T("a", "2", "8", "16") "," T("b", "2", "0", "8") "}", 16, NULL);
    expect("{" T("\\u0041\\ud83d\\ude00\\n", "0", "0", "0") "}", 0, NULL);
    expect("{ \"a\" : { \"shape\" : [ 1 ] , \"data_offsets\" : [ 0 , 4 ] , \"dtype\" : "
           "\"F32\" } }", 4, NULL);
}

static void test_bad_headers(void **state)
{
    expect("", 0, "expected '{'");
    expect("[]", 0, "expected '{'");
    expect("{", 0, "expected a string");
    expect("{}x", 0, "end of the header");
    expect("{\"a\"}", 0, "expected ':'");
    expect("{\"a\":1}", 0, "expected '{'");
    expect("{\"a\":{}}", 0, "expected a string");
    expect("{\"a\":{\"dtype\":\"F32\"}}", 0, "lacks shape");
    expect("{\"a\":{\"shape\":[],\"data_offsets\":[0,4]}}", 4, "lacks dtype");
    expect("{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}", 4, "lacks data_offsets");
    expect("{\"a\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[0,2]}}", 2, "dtype F16");
    expect("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0, "second member 'dtype'");
    expect("{\"a\":{\"kind\":1}}", 0, "unknown member 'kind'");
    expect("{" T("a", "1", "0", "4") "," T("a", "1", "4", "8") "}", 8, "'a' is there twice");
    expect("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "__metadata__ is there twice");
    expect("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", 0, "metadata 'k' is there twice");
    expect("{\"__metadata__\":{\"k\":1}}", 0, "expected a string");
    expect("{" T("a", "2", "0", "4") "}", 4, "shape needs 8");
    expect("{" T("a", "1", "0", "4") "}", 3, "but there are 3 bytes");
    expect("{" T("a", "1", "4", "8") "}", 8, "gap");
    expect("{" T("a", "1", "0", "4") "}", 8, "4 bytes follow");
    expect("{" T("a", "1", "0", "4") "," T("b", "1", "0", "4") "}", 8, "overlaps");
    expect("{" T("a", "2", "0", "8") "," T("b", "2", "4", "12") "}", 12, "overlaps");
    expect("{" T("a", "1", "4", "0") "}", 8, "at 4 to 0");
    expect("{" T("a", "1,1,1,1,1", "0", "4") "}", 4, "more than 4 sides");
    expect("{" T("a", "-1", "0", "4") "}", 4, "not negative");
    expect("{" T("a", "01", "0", "4") "}", 4, "not negative");
    expect("{" T("a", "1.0", "0", "4") "}", 4, "without fraction");
    expect("{" T("a", "99999999999999999999", "0", "4") "}", 4, "smaller integer");
    expect("{" T("a", "4294967296,4294967296", "0", "4") "}", 4, "too large");
    expect("{" T("a", "0,18446744073709551615,2", "0", "0") "}", 0, NULL);
    expect("{\"a\\q\":1}", 0, "character of a string");
    expect("{\"a\\u12\":1}", 0, "character of a string");
    expect("{\"\\ud800x\":1}", 0, "character of a string");
    expect("{\"\\u0000\":1}", 0, "character of a string");
    expect("{\"a\x01\":1}", 0, "character of a string");
    expect("{\"abc", 0, "end of a string");
    expect("{\"abc\\", 0, "of a string");
}

/* The header of `count` empty tensors and as many texts, number i of either called `twin` too. */
static char *long_header(size_t count, size_t i, size_t twin, bool texts)
{
    char *header = malloc(count * 96 + 64), *at = header;
    at += sprintf(at, "{\"__metadata__\":{");
    for (size_t k = 0; k < count; k++)
        at += sprintf(at, "%s\"k%zu\":\"\"", k ? "," : "", k == i && texts ? twin : k);
    at += sprintf(at, "}");
    for (size_t k = 0; k < count; k++)
        at += sprintf(at, "," T("%zu", "0", "0", "0"), k == i && !texts ? twin : k);
    sprintf(at, "}");
    return header;
}

static void test_many_names(void **state)
{
    enum { MANY = 20000 };
    const struct {
        size_t i, twin;
        bool texts;
        const char *word;
    } cases[] = {{0, 0, false, NULL},
                 {MANY - 1, 7, false, "tensor '7' is there twice"},
                 {1, MANY - 1, false, "tensor '19999' is there twice"},
                 {MANY / 2, MANY / 2 + 1, true, "metadata 'k10001' is there twice"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *header = long_header(MANY, cases[i].i, cases[i].twin, cases[i].texts);
        expect(header, 0, cases[i].word);
        free(header);
    }
}

static void test_bad_lengths(void **state)
{
    bo__safetensors *file;
    bo_message message;
    const unsigned char huge[9] = {255, 255, 255, 255, 255, 255, 255, 255, '{'};
    assert_int_equal(bo__safetensors_parse(&file, "F", huge, 9, &message), BO_EFORMAT);
    assert_int_equal(bo__safetensors_parse(&file, "F", huge, 7, &message), BO_EFORMAT);
    assert_int_equal(bo__safetensors_parse(&file, "F", NULL, 0, &message), BO_EFORMAT);
    assert_int_equal(bo__safetensors_read(&file, "/nonexistent/file", &message), BO_EIO);
    assert_int_equal(bo__safetensors_read(&file, "/", &message), BO_EIO);
    assert_int_equal(bo__safetensors_read(&file, "/dev/zero", &message), BO_EIO);
    assert_null(file);
}

static void test_only_regular_files(void **state)
{
    bo__safetensors *file;
    bo_message message;
    unlink(PATH);
    assert_int_equal(mkfifo(PATH, 0666), 0); /* which nobody will ever write to */
    assert_int_equal(bo__safetensors_read(&file, PATH, &message), BO_EIO);
    assert_non_null(strstr(message.text, PATH ": is not a regular file"));
    unlink(PATH);
    assert_int_equal(mkdir(PATH, 0777), 0);
    assert_int_equal(bo__safetensors_read(&file, PATH, &message), BO_EIO);
    assert_non_null(strstr(message.text, PATH ": is not a regular file"));
    rmdir(PATH);
    assert_null(file);
}

static void test_failed_write_leaves_the_old(void **state)
{
    bo_message message;
    const float one = 1;
    const bo__stored t = {.name = "a", .dims = 1, .shape = {1}, .size = 1, .data = &one};
    assert_int_equal(bo__safetensors_write("/nonexistent/x", 1, &t, 0, NULL, &message), BO_EIO);
    assert_non_null(strstr(message.text, "/nonexistent/x"));
    assert_int_equal(bo__safetensors_write(".", 1, &t, 0, NULL, &message), BO_EIO);
    assert_non_null(strstr(message.text, "regular"));
    mkdir(PATH, 0777); /* a folder in the way: the rename fails */
    assert_int_equal(bo__safetensors_write(PATH, 1, &t, 0, NULL, &message), BO_EIO);
    rmdir(PATH);
}

/* Whatever comes out of a damaged file is either refused with a message or can be read in full. */
static void test_fuzz(void **state)
{
    const char *header = "{\"__metadata__\":{\"kind\":\"cnp\",\"x\":\"\\u00e9\"}," T(
        "enc.weight", "2,3", "0", "24") "," T("enc.bias", "2", "24", "32") "," T(
        "dec.weight", "1,2", "32", "40") "}";
    size_t length;
    unsigned char *good = bytes_of(header, 40, &length), *bytes = malloc(length);
    size_t read = 0, refused = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        bo__rng rng;
        bo__rng_init(&rng, 1, "fuzz", i);
        size_t n = length;
        memcpy(bytes, good, length);
        damage(&rng, bytes, &n, 8 + strlen(header));
        bo__safetensors *file;
        bo_message message = {""};
        if (bo__safetensors_parse(&file, "F", bytes, n, &message)) {
            assert_null(file);
            assert_true(strlen(message.text) > 5);
            refused++;
            continue;
        }
        for (size_t k = 0; k < file->count; k++) {
            float copy[16];
            assert_true(file->tensors[k].size <= 10);
            bo__safetensors_copy(file, &file->tensors[k], copy);
        }
        bo__safetensors_free(file);
        read++;
    }
    assert_true(read > 100 && refused > 10000);
    free(good);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_good_headers),
        cmocka_unit_test(test_bad_headers),    cmocka_unit_test(test_bad_lengths),
        cmocka_unit_test(test_failed_write_leaves_the_old),
        cmocka_unit_test(test_only_regular_files),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_fuzz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
