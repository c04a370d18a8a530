/*
 * The program of a room of unit tests: `ROOM GROUP` runs a group, `ROOM` all of them, each in a process of its own, so
 * that what one leaves behind (settings, threads, the library's kernel) reaches no other.
 */
#include "unit.h"

#include <sys/wait.h>

static struct unit *units;

void unit_add(struct unit *unit)
{
    struct unit **at = &units;
    while (*at && strcmp((*at)->name, unit->name) < 0)
        at = &(*at)->next;
    unit->next = *at;
    *at = unit;
}

static int run_apart(const struct unit *unit)
{
    int status = 1;
    printf("== %s\n", unit->name);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        _exit(unit->run() != 0);
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

int main(int count, char **words)
{
    int failed = 0;
    for (const struct unit *unit = units; unit; unit = unit->next)
        if (count < 2)
            failed += run_apart(unit);
        else if (strcmp(unit->name, words[1]) == 0)
            return unit->run() != 0;
    if (count < 2)
        return failed != 0;
    fprintf(stderr, "%s: there is no group %s\n", words[0], words[1]);
    return 1;
}
