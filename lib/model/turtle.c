/*
 * Interprets a grammar's word letter by letter as it is derived, without storing it. A frame is a text being read; a letter with
 * rules opens the next. There are at most as many frames as steps, and brackets nest at most GRAMMAR_NESTED_MAX deep.
 */
#include "grammar.h"

#include <stddef.h>

#include "../base/hash.h"

enum { NONE = -1 };

/* A turtle: its position, and three unit vectors: heading, left, and up. */
struct turtle {
    struct vector at, head, left, up;
    double scale, radius, rib;
    int sides, paint;
    int ring;           /* the first vertex of what it drew last; NONE */
    struct vector edge; /* the direction of that vertex */
};

struct frame {
    const char *at, *text;
    uint64_t hash;
};

struct drawing {
    const struct grammar *grammar;
    struct terrane_model_mesh *mesh;
    struct turtle turtle, kept[GRAMMAR_NESTED_MAX];
    int nested;
};

/* ---- Turns --------------------------------------------------------------------------------------------- */

/* a towards b. */
static void turn(struct vector *a, struct vector *b, double degrees)
{
    const struct angle angle = angle_of(degrees);
    const struct vector was = *a;
    *a = vector_mix(angle.cosine, was, angle.sine, *b);
    *b = vector_mix(angle.cosine, *b, -angle.sine, was);
}

static void fall(struct turtle *turtle, double share)
{
    turtle->head = vector_unit(vector_add(turtle->head, -share, (struct vector){0, 1, 0}));
    turtle->left =
        vector_unit(vector_add(turtle->left, -vector_dot(turtle->left, turtle->head), turtle->head));
    turtle->up = vector_cross(turtle->head, turtle->left);
}

/* ---- Stems --------------------------------------------------------------------------------------------- */

/* Adds a ring around the position, starting at the direction of the last edge; NONE: no room. */
static int put_ring(struct drawing *drawing, uint64_t hash)
{
    struct turtle *turtle = &drawing->turtle;
    const int sides = turtle->sides, first = drawing->mesh->vertices;
    const struct vector from = turtle->ring == NONE ? turtle->left : turtle->edge;
    const struct colour colour = drawing->grammar->colour[turtle->paint];
    if (!shape_room(drawing->mesh, sides, 0))
        return NONE;
    const struct vector edge = vector_unit(vector_add(from, -vector_dot(from, turtle->head), turtle->head));
    const struct vector side = vector_cross(turtle->head, edge);
    for (int k = 0; k < sides; k++) {
        const struct angle angle = angle_of(360.0 * k / sides);
        const bool deep = turtle->rib > 0 && k % 2 == 1;
        const double radius = turtle->radius * (deep ? 1 - turtle->rib : 1);
        const struct vector out = vector_mix(angle.cosine, edge, angle.sine, side);
        shape_vertex(drawing->mesh, vector_add(turtle->at, radius, out),
                     colour_scale(colour, (deep ? 0.6 : 1) * (1 + 0.15 * chance(hash, (unsigned)k))));
    }
    turtle->edge = edge;
    return first;
}

static void draw_stem(struct drawing *drawing, double metres, double taper, uint64_t hash)
{
    struct turtle *turtle = &drawing->turtle;
    struct terrane_model_mesh *mesh = drawing->mesh;
    const int sides = turtle->sides;
    if (turtle->ring == NONE)
        turtle->ring = put_ring(drawing, hash_absorb(hash, 1));
    turtle->at = vector_add(turtle->at, metres * turtle->scale, turtle->head);
    turtle->radius *= taper;
    const int low = turtle->ring, high = put_ring(drawing, hash_absorb(hash, 2));
    if (low == NONE || high == NONE || !shape_room(mesh, 0, 2 * sides))
        return;
    for (int k = 0; k < sides; k++) {
        const int next = (k + 1) % sides;
        shape_triangle(mesh, low + k, low + next, high + next);
        shape_triangle(mesh, low + k, high + next, high + k);
    }
    turtle->ring = high;
}

static void close_stem(struct drawing *drawing, double radii)
{
    const struct turtle *turtle = &drawing->turtle;
    struct terrane_model_mesh *mesh = drawing->mesh;
    if (turtle->ring == NONE || !shape_room(mesh, 1, turtle->sides))
        return;
    const int tip = shape_vertex(mesh, vector_add(turtle->at, radii * turtle->radius, turtle->head),
                                 drawing->grammar->colour[turtle->paint]);
    for (int k = 0; k < turtle->sides; k++)
        shape_triangle(mesh, turtle->ring + k, turtle->ring + (k + 1) % turtle->sides, tip);
}

/* ---- Leaves -------------------------------------------------------------------------------------------- */

/* Paints of a leaf: at its base, and at its tip. */
static void leaf_colours(const struct drawing *drawing, uint64_t hash, struct colour colour[2])
{
    const struct colour *paint = drawing->grammar->colour + drawing->turtle.paint;
    const double light = 1 + 0.2 * chance(hash, 3);
    colour[0] = colour_scale(paint[0], light);
    colour[1] = colour_scale(paint[1], light);
}

/* Highest along its middle. */
static void draw_leaf(struct drawing *drawing, double metres, double width, uint64_t hash)
{
    const struct turtle *turtle = &drawing->turtle;
    struct terrane_model_mesh *mesh = drawing->mesh;
    const double long_m = metres * turtle->scale, half_m = width * turtle->scale / 2;
    struct colour colour[2];
    if (!shape_room(mesh, 5, 4))
        return;
    leaf_colours(drawing, hash, colour);
    const struct colour middle = colour_mix(colour[0], colour[1], 0.5);
    const struct vector broad = vector_add(turtle->at, 0.42 * long_m, turtle->head);
    const int foot = shape_vertex(mesh, turtle->at, colour[0]);
    const int left = shape_vertex(
        mesh, vector_add(vector_add(broad, half_m, turtle->left), -0.3 * half_m, turtle->up), middle);
    const int right = shape_vertex(
        mesh, vector_add(vector_add(broad, -half_m, turtle->left), -0.3 * half_m, turtle->up), middle);
    const int high = shape_vertex(mesh, vector_add(broad, 0.25 * half_m, turtle->up), middle);
    const int tip = shape_vertex(
        mesh, vector_add(vector_add(turtle->at, long_m, turtle->head), -0.3 * half_m, turtle->up), colour[1]);
    shape_triangle(mesh, foot, high, left);
    shape_triangle(mesh, high, tip, left);
    shape_triangle(mesh, foot, right, high);
    shape_triangle(mesh, high, right, tip);
}

static void draw_blade(struct drawing *drawing, double metres, double width, uint64_t hash)
{
    const struct turtle *turtle = &drawing->turtle;
    struct terrane_model_mesh *mesh = drawing->mesh;
    const double half_m = width * turtle->scale / 2;
    struct colour colour[2];
    if (!shape_room(mesh, 3, 1))
        return;
    leaf_colours(drawing, hash, colour);
    const int left = shape_vertex(mesh, vector_add(turtle->at, half_m, turtle->left), colour[0]);
    const int right = shape_vertex(mesh, vector_add(turtle->at, -half_m, turtle->left), colour[0]);
    const int tip =
        shape_vertex(mesh, vector_add(turtle->at, metres * turtle->scale, turtle->head), colour[1]);
    shape_triangle(mesh, left, right, tip);
}

/* Uses a separate hash for each of the twelve corners, identified by the signs of their directions. */
static struct vector ball_reach(const struct ball *ball, struct vector d)
{
    const double part[3] = {d.x, d.y, d.z};
    unsigned corner = 0;
    for (int k = 0; k < 3; k++)
        corner = 3 * corner + (part[k] < -0.1 ? 0 : part[k] > 0.1 ? 2 : 1);
    const double reach = ball->radius * (1 + 0.25 * chance(ball->hash, corner));
    return vector_add(ball->middle, reach, (struct vector){d.x, d.y * ball->flat, d.z});
}

/* Light comes from above. */
static struct colour ball_colour(const struct ball *ball, struct vector normal, unsigned triangle)
{
    const double share = 0.5 + 0.45 * normal.y + 0.15 * chance(ball->hash, 64 + triangle);
    return colour_mix(ball->palette[0], ball->palette[1], share < 0 ? 0 : share);
}

static void draw_ball(struct drawing *drawing, double metres, double flat, uint64_t hash)
{
    const struct turtle *turtle = &drawing->turtle;
    shape_ball(drawing->mesh, &(struct ball){.fineness = 1,
                                             .reach = ball_reach,
                                             .colour = ball_colour,
                                             .middle = turtle->at,
                                             .radius = metres * turtle->scale,
                                             .flat = flat,
                                             .hash = hash,
                                             .palette = drawing->grammar->colour + turtle->paint});
}

/* ---- Words --------------------------------------------------------------------------------------------- */

/* Reads a decimal, and its end. */
static double read_number(const char **at)
{
    const bool minus = **at == '-';
    double number = 0, unit = 1;
    bool part = false;
    for (*at += minus; (**at >= '0' && **at <= '9') || **at == '.'; ++*at) {
        if (**at == '.') {
            part = true;
            continue;
        }
        number = number * 10 + (**at - '0');
        unit *= part ? 10 : 1;
    }
    return (minus ? -number : number) / unit;
}

/* Arguments, where there are any: (a) or (a,b). */
static void read_arguments(const char **at, double argument[2])
{
    argument[0] = 1;
    argument[1] = 0;
    if (**at != '(')
        return;
    for (int k = 0; k < 2 && **at != ')'; k++) {
        ++*at;
        argument[k] = read_number(at);
    }
    ++*at;
}

/* Handles letters that draw; false: it is none. */
static bool draw_what(struct drawing *drawing, char letter, const double argument[2], uint64_t hash)
{
    switch (letter) {
    case 'F':
        draw_stem(drawing, argument[0], argument[1] > 0 ? argument[1] : 1, hash);
        return true;
    case 'C':
        close_stem(drawing, argument[0]);
        return true;
    case 'K':
        draw_leaf(drawing, argument[0], argument[1], hash);
        return true;
    case 'J':
        draw_blade(drawing, argument[0], argument[1], hash);
        return true;
    case 'O':
        draw_ball(drawing, argument[0], argument[1], hash);
        return true;
    default:
        return false;
    }
}

/* Handles letters that turn it or change its pen; about: the first argument, varied. */
static void change_what(struct turtle *turtle, char letter, const double argument[2], double about)
{
    switch (letter) {
    case '+':
    case '-':
        turn(&turtle->head, &turtle->left, letter == '+' ? about : -about);
        break;
    case '^':
    case '&':
        turn(&turtle->head, &turtle->up, letter == '^' ? about : -about);
        break;
    case '/':
        turn(&turtle->left, &turtle->up, about);
        break;
    case 'G':
        fall(turtle, about);
        break;
    case 'f':
        turtle->at = vector_add(turtle->at, about * turtle->scale, turtle->head);
        turtle->ring = NONE;
        break;
    case '"':
        turtle->scale *= about;
        break;
    case '!':
        turtle->radius *= about;
        break;
    case 'N':
        turtle->sides = (int)argument[0];
        turtle->rib = argument[1];
        break;
    case 'P':
        turtle->paint = (int)argument[0];
        break;
    default: /* a letter that no rule has taken */
        break;
    }
}

/* Handles brackets. Those nested too deep do not restore anything. */
static void come_and_go(struct drawing *drawing, char letter)
{
    struct turtle *turtle = &drawing->turtle;
    if (letter == '[') {
        if (drawing->nested < GRAMMAR_NESTED_MAX)
            drawing->kept[drawing->nested] = *turtle;
        drawing->nested++;
        turtle->ring = NONE;
    } else if (drawing->nested > 0 && --drawing->nested < GRAMMAR_NESTED_MAX) {
        *turtle = drawing->kept[drawing->nested];
    }
}

static void read_letter(struct drawing *drawing, char letter, const char **at, uint64_t hash)
{
    double argument[2];
    read_arguments(at, argument);
    if (letter == '[' || letter == ']')
        come_and_go(drawing, letter);
    else if (!draw_what(drawing, letter, argument, hash))
        change_what(&drawing->turtle, letter, argument, argument[0] + argument[1] * chance(hash, 0));
}

/* The text that replaces a letter in a step; NULL: it stays. */
static const char *rewrite(const struct grammar *grammar, char letter, int step, uint64_t hash)
{
    unsigned whole = 0;
    for (const struct rule *rule = grammar->rule; rule->letter; rule++)
        whole += rule->letter == letter && step >= rule->from && step <= rule->to ? rule->weight : 0;
    if (whole == 0)
        return NULL;
    unsigned thrown = (unsigned)(hash >> 32) % whole;
    for (const struct rule *rule = grammar->rule; rule->letter; rule++) {
        if (rule->letter != letter || step < rule->from || step > rule->to)
            continue;
        if (thrown < rule->weight)
            return rule->text;
        thrown -= rule->weight;
    }
    return NULL;
}

void turtle_draw(const struct grammar *grammar, uint64_t hash, struct terrane_model_mesh *mesh)
{
    struct drawing drawing = {.grammar = grammar,
                              .mesh = mesh,
                              .turtle = {.head = {0, 1, 0},
                                         .left = {1, 0, 0},
                                         .up = {0, 0, -1},
                                         .scale = 1,
                                         .radius = grammar->radius,
                                         .sides = 5,
                                         .ring = NONE}};
    struct frame frame[GRAMMAR_STEPS_MAX + 1];
    int step = 0;
    frame[0] = (struct frame){grammar->axiom, grammar->axiom, hash};
    while (step >= 0) {
        struct frame *read = &frame[step];
        const char letter = *read->at;
        if (!letter) {
            step--;
            continue;
        }
        const uint64_t own = hash_absorb(read->hash, (uint64_t)(read->at++ - read->text));
        const char *text = rewrite(grammar, letter, step, own);
        if (!text)
            read_letter(&drawing, letter, &read->at, own);
        else if (step < grammar->steps)
            frame[++step] = (struct frame){text, text, own};
    }
}
