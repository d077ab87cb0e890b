/* words.c - a command line with {name} placeholders.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "message.h"
#include "parameter.h"

void bo__words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

/* Copies one word from *text to word (room for all of the text) and moves *text behind it.
 * Returns the quote that was left open, 0 when all is well. */
static char split_word(const char **text, char *word)
{
    const char *t = *text;
    char quote = 0;
    for (; *t && (quote || !isspace((unsigned char)*t)); t++) {
        if (quote ? *t == quote : *t == '\'' || *t == '"')
            quote = quote ? 0 : *t;
        else if (*t == '\\' && t[1] && (!quote || (quote == '"' && (t[1] == '"' || t[1] == '\\'))))
            *word++ = *++t;
        else
            *word++ = *t;
    }
    *word = 0;
    *text = t;
    return quote;
}

bo_status bo__words_split(char ***out, const char *text, bo_message *message)
{
    size_t length = strlen(text), count = 0;
    const char *rest = text;
    char *word = malloc(length + 1);
    char **words = calloc(length / 2 + 2, sizeof *words); /* a word takes two characters */
    bo_status status = word && words ? BO_OK : bo__fail(message, BO_ENOMEM, "out of memory");
    *out = NULL;
    while (!status) {
        rest += strspn(rest, " \t\r\n");
        if (!*rest)
            break;
        char quote = split_word(&rest, word);
        if (quote)
            status = bo__fail(message, BO_EINVAL, "'%s' has an unfinished %c quote", text, quote);
        else if (!(words[count++] = strdup(word)))
            status = bo__fail(message, BO_ENOMEM, "out of memory");
    }
    if (!status && !count)
        status = bo__fail(message, BO_EINVAL, "the command is empty");
    free(word);
    if (status)
        bo__words_free(words);
    else
        *out = words;
    return status;
}

/* Length of the name in "{name}" at text, 0 when it is not one. */
static size_t placeholder(const char *text)
{
    size_t length = 0;
    if (*text != '{')
        return 0;
    while (isalnum((unsigned char)text[1 + length]) || strchr("_-.", text[1 + length])) {
        if (!text[1 + length])
            return 0;
        length++;
    }
    return text[1 + length] == '}' ? length : 0;
}

static size_t find_parameter(const bo_space *space, const char *name, size_t length)
{
    size_t dim = bo_space_dim(space);
    for (size_t i = 0; i < dim; i++) {
        const char *known = bo_space_parameter(space, i)->name;
        if (strlen(known) == length && !strncmp(known, name, length))
            return i;
    }
    return SIZE_MAX;
}

static bo_status fail_name(const bo_space *space, const char *name, size_t length,
                           bo_message *message)
{
    char list[256] = "";
    size_t used = 0, dim = bo_space_dim(space);
    for (size_t i = 0; i < dim && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 bo_space_parameter(space, i)->name);
    return bo__fail(message, BO_EINVAL,
                    "{%.*s} names no parameter (there are: %s); write {{ for a brace",
                    (int)length, name, list);
}

bo_status bo__words_check(char *const *words, const bo_space *space, bo_message *message)
{
    for (; *words; words++)
        for (const char *t = *words; *t; t++) {
            if (t[0] == '{' && t[1] == '{') {
                t++;
                continue;
            }
            size_t length = placeholder(t);
            if (length && find_parameter(space, t + 1, length) == SIZE_MAX)
                return fail_name(space, t + 1, length, message);
        }
    return BO_OK;
}

static char *fill_word(const char *word, const bo_space *space, const double *x)
{
    char *text = NULL, buffer[BO_VALUE_ROOM];
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    for (const char *t = word; *t; t++) {
        size_t length = placeholder(t);
        size_t i = length ? find_parameter(space, t + 1, length) : SIZE_MAX;
        if (t[0] == '{' && t[1] == '{') {
            fputc(*t++, stream);
        } else if (i != SIZE_MAX) {
            fputs(bo__parameter_text(bo_space_parameter(space, i), x[i], buffer), stream);
            t += length + 1;
        } else {
            fputc(*t, stream);
        }
    }
    if (fclose(stream)) {
        free(text);
        return NULL;
    }
    return text;
}

char **bo__words_fill(char *const *words, const bo_space *space, const double *x)
{
    size_t count = 0;
    while (words[count])
        count++;
    char **filled = calloc(count + 1, sizeof *filled);
    for (size_t i = 0; filled && i < count; i++)
        if (!(filled[i] = fill_word(words[i], space, x))) {
            bo__words_free(filled);
            return NULL;
        }
    return filled;
}
