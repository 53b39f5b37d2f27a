/* The list of a run, for tests (docs/coherence.md). TUFF_COHERENCE_LIST=FILE: accesses and events, as lines of text;
 * TUFF_COHERENCE_SKIP=NUMBER: that event is left out. */
#ifndef MODEL_COHERENCE_LIST_H
#define MODEL_COHERENCE_LIST_H

#include "model/coherence/coherence.h"

/* Opens the file, once in a process, if one is asked for. */
void coherence_list_open(void);

/* A line that is read ('r'), written ('w') or overwritten ('o'): the place that it is accessed through, a number that
 * the family chooses, the line's number and one bit for each byte. From any thread. */
void coherence_list_touch(char kind, unsigned place, unsigned number, const struct coherence_touch *touch);

/* Events are counted over all jobs of a process; those that no packet asks for have no number. False: it is to be left
 * out. */
bool coherence_list_event(uint32_t job, const char *name, bool has_number);

#endif
