/*
 * Bodies that are one list.
 *
 * The first complaint ends it: JSON itself, members that there are not, the one that is missing, its type, its length.
 */
#include "body_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool body_refuse(struct body_complaint *complaint, unsigned status, const char *parameter, const char *format,
                 ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint->detail, sizeof complaint->detail, format, arguments);
    va_end(arguments);
    complaint->status = status;
    complaint->parameter = parameter;
    return false;
}

/* Jansson's own words quote what was given, whatever bytes it has. */
static bool refuse_text(struct body_complaint *complaint, const json_error_t *trouble)
{
    switch ((int)json_error_code(trouble)) { /* jansson may know more of them than we do */
    case json_error_out_of_memory:
        return body_refuse(complaint, 503, NULL, "The server is short of memory; try again shortly.");
    case json_error_numeric_overflow:
        return body_refuse(complaint, 400, "body", "a number is too big: line %d, column %d", trouble->line,
                           trouble->column);
    case json_error_duplicate_key:
        return body_refuse(complaint, 400, "body", "a member stands twice: line %d, column %d", trouble->line,
                           trouble->column);
    case json_error_stack_overflow:
        return body_refuse(complaint, 400, "body", "lists nest too deep: line %d, column %d", trouble->line,
                           trouble->column);
    default:
        return body_refuse(complaint, 400, "body", "the body must be a JSON object: line %d, column %d",
                           trouble->line, trouble->column);
    }
}

static bool check_members(json_t *root, const char *name, struct body_complaint *complaint)
{
    for (void *at = json_object_iter(root); at; at = json_object_iter_next(root, at)) {
        const char *given = json_object_iter_key(at);
        char quote[41] = "";
        if (strcmp(given, name) == 0)
            continue;
        for (size_t i = 0; i < sizeof quote - 1 && given[i]; i++)
            quote[i] = given[i] >= ' ' && given[i] <= '~' ? given[i] : '?';
        return body_refuse(complaint, 400, "body", "there is no member \"%s\": allowed is %s", quote, name);
    }
    return true;
}

static bool check_list(const json_t *list, const char *name, size_t most, struct body_complaint *complaint)
{
    if (!list)
        return body_refuse(complaint, 400, name, "%s is missing", name);
    if (!json_is_array(list))
        return body_refuse(complaint, 400, name, "%s must be a list", name);
    if (json_array_size(list) > most)
        return body_refuse(complaint, 413, name, "%s: there are %zu, and %zu is the most", name,
                           json_array_size(list), most);
    return true;
}

json_t *body_list(const char *text, size_t bytes, const char *name, size_t most, const json_t **list,
                  struct body_complaint *complaint)
{
    json_error_t trouble;
    json_t *root = NULL;
    *complaint = (struct body_complaint){0};
    if (bytes > 0 && memchr(text, 0, bytes)) { /* Jansson passes over some */
        body_refuse(complaint, 400, "body", "the body must have no zero bytes");
        return NULL;
    }
    root = json_loadb(bytes ? text : "", bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &trouble);
    if (!root) {
        refuse_text(complaint, &trouble);
        return NULL;
    }
    *list = json_object_get(root, name); /* of what is no object NULL */
    if (!json_is_object(root))
        body_refuse(complaint, 400, "body", "the body must be a JSON object");
    else if (check_members(root, name, complaint))
        check_list(*list, name, most, complaint);
    if (!complaint->status)
        return root;
    json_decref(root);
    return NULL;
}
