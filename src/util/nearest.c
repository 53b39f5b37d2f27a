/* See nearest.h. The distance counts letters that are missing, too many, wrong or exchanged with the next one. */
#include "util/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "util/bits.h"

#define LENGTH_MAX 40 /* of a word that is compared */

static unsigned distance_of(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][LENGTH_MAX + 1]; /* of the matrix, by row modulo 3 */
    for (unsigned j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            const bool is_same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            row[j] = MIN2(above[j - 1] + !is_same, MIN2(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = MIN2(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

struct nearest nearest_begin(const char *word, size_t length)
{
    return (struct nearest){.word = word, .length = length};
}

/* One letter in three may be wrong; a word of three letters or more that the candidate begins with is near, too. */
void nearest_try(struct nearest *nearest, const char *candidate)
{
    const size_t length = strlen(candidate);
    if (!nearest->length || !length || nearest->length > LENGTH_MAX || length > LENGTH_MAX)
        return;
    unsigned distance = distance_of(nearest->word, nearest->length, candidate, length);
    const unsigned allowed = (unsigned)(MAX2(length, nearest->length) + 2) / 3;
    if (distance > allowed && nearest->length >= 3 && strncmp(candidate, nearest->word, nearest->length) == 0)
        distance = allowed;
    if (distance > allowed || distance >= MAX2(length, nearest->length) ||
        (nearest->best && distance >= nearest->distance))
        return;
    nearest->best = candidate;
    nearest->distance = distance;
}

const char *nearest_text(const struct nearest *nearest, char text[static 96])
{
    text[0] = '\0';
    if (nearest->best)
        snprintf(text, 96, "; did you mean '%s'?", nearest->best);
    return text;
}
