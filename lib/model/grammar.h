/*
 * Grammars of plants, and the turtle that interprets the derived words.
 *
 * A grammar derives a word in steps: in each, every letter with rules is replaced by the text of one of them; a hash of the
 * letter's place in the derivation chooses, by weight. Rules may be limited to some steps. The turtle reads these letters of the
 * word, left to right, with arguments (a second one is the random deviation of the first):
 *
 *     F(m, k)   draws m metres, its radius k of what it was at the end
 *     f(m)      goes as far without drawing
 *     + - (a)   turns left, right       & ^ (a)  pitches down, up       /(a)  rolls: degrees
 *     G(k)      falls: k of straight down is added to where it heads
 *     "(k) !(k) metres, and the radius, are k of what they were
 *     N(n, k)   draws with n sides, of which every second edge lies k of the radius deeper
 *     C(k)      closes what it has drawn, with a tip of k radii
 *     P(i)      paints with colour i of the grammar, 0 or 1; leaves end in the next
 *     K(m, w)   a leaf of four triangles, m long and w wide      J(m, w)  one of one
 *     O(m, k)   a ball of leaves of m metres around, k as high as wide
 *     [ ]       comes back here, as it was
 */
#ifndef TERRANE_GRAMMAR_H
#define TERRANE_GRAMMAR_H

#include "shape.h"

enum { GRAMMAR_STEPS_MAX = 24, GRAMMAR_RULES_MAX = 7, GRAMMAR_COLOURS = 3, GRAMMAR_NESTED_MAX = 16 };

struct rule {
    char letter;      /* not one of the turtle's; 0 ends a list */
    uint8_t from, to; /* steps: the first is 0 */
    uint8_t weight;
    const char *text;
};

struct grammar {
    const char *axiom;
    int steps;
    double radius; /* metres */
    struct colour colour[GRAMMAR_COLOURS];
    struct rule rule[GRAMMAR_RULES_MAX + 1];
};

/* Adds the derived plant to the mesh, without normals. */
void turtle_draw(const struct grammar *grammar, uint64_t hash, struct terrane_model_mesh *mesh);

/* Grammars of plants, by enum terrane_model; NULL for others. */
const struct grammar *grammar_of(int model);

#endif
