/*
 * What a recipe is under each generator that is kept.
 *
 * A text means something under every one of them: it says itself which makes it, or it is made by the newest. Where a recipe that
 * ships has changed, older generators have its old text.
 */
#ifndef TERRANE_SERVER_GENERATIONS_H
#define TERRANE_SERVER_GENERATIONS_H

#include "../tile/named_recipe.h"

struct generations {
    struct recipe *under
        [GENERATORS]; /* owned, the oldest first; NULL: that generator has none. Each one's `kept` is this array */
    const struct recipe *usual; /* among them: where no generator is asked for */
};

/*
 * One recipe under the generators `first` to `last`; where first is not the oldest, older texts follow (generations_put_old). Its usual
 * one is the one that its text says, else that of `usual`, else (0) the newest. Returns owned, or NULL: memory is short.
 */
struct generations *generations_make(const struct recipe *recipe, int first, int last, int usual);

/* Puts in an older text, which generators first to last have. */
void generations_put_old(struct generations *generations, const struct recipe *recipe, int first, int last);

/* NULL is fine. */
void generations_free(struct generations *generations);

#endif
