/* rows.c - rows of CSV (RFC 4180) and of JSON lines (RFC 8259), field by field.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"

const char *bo__number_text(char buffer[BO_NUMBER_ROOM], double value)
{
    /* 15 digits always survive from text to double, 17 from double to text. */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, BO_NUMBER_ROOM, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

static void append(bo__row *row, const char *text, size_t length)
{
    if (row->broken)
        return;
    if (row->length + length + 1 > row->room) {
        size_t room = 2 * (row->length + length) + 64;
        char *grown = realloc(row->text, room);
        if (!grown) {
            row->broken = true;
            return;
        }
        row->text = grown;
        row->room = room;
    }
    memcpy(row->text + row->length, text, length);
    row->length += length;
    row->text[row->length] = 0;
}

static void append_csv(bo__row *row, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        append(row, text, strlen(text));
        return;
    }
    append(row, "\"", 1);
    for (; *text; text++) {
        if (*text == '"')
            append(row, "\"", 1);
        append(row, text, 1);
    }
    append(row, "\"", 1);
}

static void append_json(bo__row *row, const char *text)
{
    append(row, "\"", 1);
    for (; *text; text++) {
        char escape[8] = {'\\', *text, 0};
        if ((unsigned char)*text < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", *text);
        if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\')
            append(row, escape, strlen(escape));
        else
            append(row, text, 1);
    }
    append(row, "\"", 1);
}

void bo__row_begin(bo__row *row, bo__row_form form)
{
    row->form = form;
    row->length = row->fields = 0;
    row->broken = false;
    append(row, "{", form == BO_ROW_JSON);
}

/* What stands before a value: comma, and the name in JSON.  True when the value is wanted. */
static bool begin_field(bo__row *row, const char *name)
{
    append(row, ", ", row->fields++ ? (row->form == BO_ROW_JSON ? 2 : 1) : 0);
    if (row->form == BO_ROW_HEADER) {
        append_csv(row, name);
        return false;
    }
    if (row->form == BO_ROW_JSON) {
        append_json(row, name);
        append(row, ": ", 2);
    }
    return true;
}

void bo__row_text(bo__row *row, const char *name, const char *value)
{
    if (!begin_field(row, name))
        return;
    if (row->form == BO_ROW_JSON)
        append_json(row, value);
    else
        append_csv(row, value);
}

void bo__row_number(bo__row *row, const char *name, double value)
{
    char buffer[BO_NUMBER_ROOM];
    if (!begin_field(row, name))
        return;
    if (isfinite(value))
        append(row, buffer, strlen(bo__number_text(buffer, value)));
    else if (row->form == BO_ROW_JSON)
        append(row, "null", 4);
    else if (isinf(value))
        append(row, value < 0 ? "-inf" : "inf", value < 0 ? 4 : 3);
}

void bo__row_size(bo__row *row, const char *name, size_t value)
{
    char buffer[BO_NUMBER_ROOM];
    if (!begin_field(row, name))
        return;
    append(row, buffer, (size_t)snprintf(buffer, sizeof buffer, "%zu", value));
}

bo_status bo__row_end(bo__row *row, bo_message *message)
{
    append(row, row->form == BO_ROW_JSON ? "}\n" : "\n", row->form == BO_ROW_JSON ? 2 : 1);
    return row->broken ? bo__fail(message, BO_ENOMEM, "out of memory") : BO_OK;
}

void bo__row_free(bo__row *row)
{
    free(row->text);
    *row = (bo__row){0};
}
