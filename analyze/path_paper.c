/*
 * terrane path: what was asked, the series that are measured, and the way from one to the other.
 */
#include "path_paper.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../server/tool/options.h"
#include "../server/tool/tool.h"
#include "directory.h"

const struct path_series path_series[PATH_SERIES] = {
    [PATH_FLAT] = {"slope_0.0005", "slope 0.0005", 0.0005, 1e-5, TERRANE_BESIDE_ACROSS, false, 257, true,
                   true},
    [PATH_USUAL] = {"slope_0.0035", "slope 0.0035", 0.0035, 1e-5, TERRANE_BESIDE_ACROSS, false, 257, true,
                    true},
    [PATH_STEEP] = {"slope_0.0095", "slope 0.0095", 0.0095, 1e-5, TERRANE_BESIDE_ACROSS, false, 257, true,
                    true},
    [PATH_LOOSEST] = {"threshold_1e-3", "threshold 1e-3", 0.0035, 1e-3, TERRANE_BESIDE_ACROSS, false, 129,
                      true, false},
    [PATH_LOOSER] = {"threshold_1e-4", "threshold 1e-4", 0.0035, 1e-4, TERRANE_BESIDE_ACROSS, false, 129,
                     true, false},
    [PATH_TIGHTER] = {"threshold_1e-6", "threshold 1e-6", 0.0035, 1e-6, TERRANE_BESIDE_ACROSS, false, 129,
                      true, false},
    [PATH_ROUGH] = {"roughness", "roughness", 0.0035, 1e-5, TERRANE_BESIDE_ROUGHNESS, false, 129, false,
                    true},
    [PATH_STITCHED] = {"across_stitched", "across, stitched", 0.0035, 1e-5, TERRANE_BESIDE_ACROSS, true, 129,
                       false, true},
    [PATH_ROUGH_STITCHED] = {"roughness_stitched", "roughness, stitched", 0.0035, 1e-5,
                             TERRANE_BESIDE_ROUGHNESS, true, 129, false, true},
};

static const char usage[] =
    "usage: terrane path --paper [--quick] [--sizes N,N..] [--jobs N] [--out DIR]\n\n"
    "measures document 002 (natural paths) again: its table 1 and figures 4, 6, 8, 9, 10 and 11, with the "
    "fast\n"
    "way beside its relaxation. Prints tables; writes paths.json and pictures. Iterations grow with the "
    "samples\n"
    "of a patch and so does what each costs: up to 33 x 33 all takes a minute, 257 x 257 hours. SIGINT "
    "stops\n"
    "it with what it has so far.\n\n"
    "  --paper            all experiments\n"
    "  --quick            ... of 3 terrains, not 10, to 33 x 33, with at most 10,000 iterations: in seconds\n"
    "  --sizes N,N..      sides of patches: of 9, 17, 33, 65, 129 and 257 (default: all, quick to 33)\n"
    "  --jobs N           experiments at a time, 1 .. 64 (default: one a processor)\n"
    "  --out DIR          where files go; made when missing (default: terrane-paths)\n";

struct request {
    const char *sizes, *jobs, *out;
    bool paper, quick, help;
};

/* ---- Words and signals --------------------------------------------------------------------------------- */

static atomic_bool stopped;

static void on_signal(int signal)
{
    (void)signal;
    atomic_store(&stopped, true);
}

bool path_stopped(void)
{
    return atomic_load_explicit(&stopped, memory_order_relaxed);
}

/* The second one ends the program. */
static void heed_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void path_error(const char *format, ...)
{
    char line[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "%sterrane path: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", line);
}

static int refuse(const char *option, const char *value, const char *allowed)
{
    path_error("--%s=%s: %s (see terrane path --help)", option, value, allowed);
    return 2;
}

/* ---- What was asked ------------------------------------------------------------------------------------ */

/* Digits up to the end or a comma, which is passed over; -1: none, or more than 9999. */
static int read_next(const char **text)
{
    const size_t digits = strspn(*text, "0123456789");
    char *end;

    if (digits < 1 || digits > 4 || ((*text)[digits] && (*text)[digits] != ','))
        return -1;
    const int number = (int)strtol(*text, &end, 10);
    *text = *end ? end + 1 : end;
    return *end && !**text ? -1 : number; /* a comma at the end has nothing behind it */
}

/* Rising powers of two and one, 9 .. 257. */
static bool read_sizes(const char *text, struct path_study *study)
{
    study->sizes = 0;
    do {
        const int side = read_next(&text);
        const int before = study->sizes ? study->side[study->sizes - 1] : 0;
        if (side < 9 || side > PATH_SIDE || ((side - 1) & (side - 2)) || side <= before)
            return false;
        study->side[study->sizes++] = side;
    } while (*text);
    return true;
}

static int read_request(const struct request *request, struct path_study *study)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const char *jobs = request->jobs;

    study->quick = request->quick;
    study->directory = request->out ? request->out : "terrane-paths";
    study->terrains = request->quick ? 3 : PATH_TERRAINS;
    study->optimum_side = request->quick ? 33 : 65;
    study->jobs = processors < 1 ? 1 : processors < PATH_JOBS_MAX ? (int)processors : PATH_JOBS_MAX;
    if (!request->paper) {
        path_error("needs --paper (see terrane path --help)");
        return 2;
    }
    if (jobs) {
        study->jobs = read_next(&jobs);
        if (*jobs || study->jobs < 1 || study->jobs > PATH_JOBS_MAX)
            return refuse("jobs", request->jobs, "jobs are 1 .. 64");
    }
    if (!read_sizes(request->sizes   ? request->sizes
                    : request->quick ? "9,17,33"
                                     : "9,17,33,65,129,257",
                    study))
        return refuse("sizes", request->sizes, "sizes are of 9, 17, 33, 65, 129 and 257, rising");
    return 0;
}

static int make_directory(const char *directory)
{
    if (directory_make(directory) == 0)
        return 0;
    path_error("%s: %s", directory, strerror(errno));
    return -1;
}

/* ---- The run ------------------------------------------------------------------------------------------- */

static int run(struct path_study *study)
{
    if (make_directory(study->directory) != 0)
        return 1;
    char *const optimum = path_optimum_program();
    study->optimum = optimum;
    heed_signals();
    const int status = path_jobs_run(study);
    if (status >= 0)
        path_tables_print(study);
    if (status >= 0 && !optimum)
        printf("Left out: the optimum, and with it figures 8 and 9: there is no program `optimum` beside "
               "this one; "
               "make build/optimum builds it\n");
    const bool wrote = status >= 0 && path_json_write(study, status == 0) == 0 &&
                       path_plots_write(study) == 0 && path_pictures_write(study) == 0;
    free(optimum);
    for (int k = 0; k < PATH_SERIES; k++) {
        for (int h = 0; h < 3; h++)
            free(study->picture[k].heights[h]);
        free(study->picture[k].mask);
    }
    if (status == 1 && wrote)
        path_error("stopped; what was measured is in %s", study->directory);
    return !wrote ? 1 : status == 1 ? 3 : 0;
}

int path_paper_command(int argc, char **argv)
{
    static struct path_study study;
    struct request request = {0};
    const struct option_spec specs[] = {{"sizes", 0, &request.sizes, NULL},
                                        {"jobs", 'j', &request.jobs, NULL},
                                        {"out", 'o', &request.out, NULL},
                                        {"paper", 0, NULL, &request.paper},
                                        {"quick", 0, NULL, &request.quick},
                                        {"help", 'h', NULL, &request.help},
                                        {0}};
    const char *word;
    int words;

    if (options_read("path", argc, argv, specs, &word, 0, &words) != 0)
        return 2;
    if (request.help) {
        fputs(usage, stdout);
    } else {
        int status = read_request(&request, &study);
        if (status == 0)
            status = tool_init_kernels() != 0 ? 2 : run(&study);
        if (status != 0)
            return status;
    }
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    path_error("standard output: %s", strerror(errno));
    return 1;
}
