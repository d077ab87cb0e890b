/* json.c - a reader for the little JSON that weight files have in their headers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

static void skip_blanks(bo__json *j)
{
    while (j->at < j->length && memchr(" \t\r\n", j->bytes[j->at], 4))
        j->at++;
}

static bo_status fail(bo__json *j, const char *expected)
{
    return bo__fail(j->message, BO_EFORMAT, "%s: header, byte %zu: expected %s", j->path, j->at,
                    expected);
}

bool bo__json_accept(bo__json *j, char c)
{
    skip_blanks(j);
    if (j->at >= j->length || j->bytes[j->at] != (unsigned char)c)
        return false;
    j->at++;
    return true;
}

bo_status bo__json_expect(bo__json *j, char c)
{
    char text[] = {'\'', c, '\'', 0};
    return bo__json_accept(j, c) ? BO_OK : fail(j, text);
}

/* Four hexadecimal digits. */
static bool read_unit(bo__json *j, uint32_t *unit)
{
    if (j->length - j->at < 4)
        return false;
    *unit = 0;
    for (size_t i = 0; i < 4; i++) {
        unsigned char c = j->bytes[j->at + i];
        static const char digits[] = "0123456789abcdef";
        const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
        if (!digit)
            return false;
        *unit = *unit * 16 + (uint32_t)(digit - digits);
    }
    j->at += 4;
    return true;
}

/* The character of \uXXXX, or of the two of a surrogate pair. */
static bool read_escape(bo__json *j, uint32_t *c)
{
    if (!read_unit(j, c) || (*c >= 0xdc00 && *c <= 0xdfff))
        return false;
    if (*c < 0xd800 || *c > 0xdbff)
        return *c != 0;
    uint32_t low;
    if (j->length - j->at < 2 || j->bytes[j->at] != '\\' || j->bytes[j->at + 1] != 'u')
        return false;
    j->at += 2;
    if (!read_unit(j, &low) || low < 0xdc00 || low > 0xdfff)
        return false;
    *c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

static size_t put_utf8(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    size_t n = c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)((n == 3 ? 0xe0 : 0xf0) | c);
    return n;
}

/* One character of a string, escaped or not; out has room for four bytes. */
static bool read_character(bo__json *j, char *out, size_t *length)
{
    unsigned char c = j->bytes[j->at++];
    *length = 1;
    *out = (char)c;
    if (c != '\\')
        return c >= 0x20;
    if (j->at >= j->length)
        return false;
    c = j->bytes[j->at++];
    if (c == 'u') {
        uint32_t point;
        bool good = read_escape(j, &point);
        if (good)
            *length = put_utf8(point, out);
        return good;
    }
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *which = c ? strchr(from, c) : NULL;
    if (!which)
        return false;
    *out = to[which - from];
    return true;
}

bo_status bo__json_string(bo__json *j, char **text)
{
    *text = NULL;
    if (!bo__json_accept(j, '"'))
        return fail(j, "a string");
    size_t room = 0; /* no character grows when its escapes are resolved */
    for (size_t i = j->at; i < j->length && j->bytes[i] != '"'; i += j->bytes[i] == '\\' ? 2 : 1)
        room = i + 2 - j->at;
    char *out = malloc(room + 5);
    if (!out)
        return bo__fail(j->message, BO_ENOMEM, "%s: no memory for its header", j->path);
    size_t length = 0, more;
    for (;;) {
        if (j->at >= j->length || length > room) {
            free(out);
            return fail(j, "the end of a string");
        }
        if (j->bytes[j->at] == '"')
            break;
        if (!read_character(j, out + length, &more)) {
            free(out);
            return fail(j, "a character of a string");
        }
        length += more;
    }
    j->at++;
    out[length] = 0;
    *text = out;
    return BO_OK;
}

bo_status bo__json_size(bo__json *j, size_t *value)
{
    skip_blanks(j);
    size_t first = j->at, v = 0;
    for (; j->at < j->length && j->bytes[j->at] >= '0' && j->bytes[j->at] <= '9'; j->at++) {
        size_t digit = j->bytes[j->at] - (size_t)'0';
        if (v > (SIZE_MAX - digit) / 10)
            return fail(j, "a smaller integer");
        v = 10 * v + digit;
    }
    if (j->at == first || (j->at > first + 1 && j->bytes[first] == '0'))
        return fail(j, "an integer that is not negative");
    if (j->at < j->length && memchr(".eE", j->bytes[j->at], 3))
        return fail(j, "an integer, without fraction or exponent");
    *value = v;
    return BO_OK;
}

bo_status bo__json_end(bo__json *j)
{
    skip_blanks(j);
    return j->at == j->length ? BO_OK : fail(j, "the end of the header");
}
