/* Outputs while a program is selected: what select_output.c, select_vertex.c and select_fragment.c share. */
#ifndef MALI_COMPILER_OUTPUTS_H
#define MALI_COMPILER_OUTPUTS_H

#include "mali/compiler/select.h"

#define SEL_LOCATIONS (IR_LOCATION_VAR0 + 64)

struct sel_output {
    struct mach_operand component[4];
    uint8_t mask; /* those that are written */
    uint8_t base; /* enum ir_base */
};

struct sel_outputs {
    unsigned num_sets; /* views of a vertex shader; of a fragment shader the sources of blending */
    unsigned set;      /* that mali_sel_output() looks at */
    struct sel_output at[][SEL_LOCATIONS];
};
#define SEL_VIEWS 8
#define SEL_SOURCES 2

/* A component that was stored, or `otherwise`. */
struct mach_operand mali_sel_output(const struct select *ctx, unsigned location, unsigned component,
                                    struct mach_operand otherwise);
void mali_sel_end_vertex(struct select *ctx);
void mali_sel_end_fragment(struct select *ctx);

#endif
