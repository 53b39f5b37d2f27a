/* What the printer and the parser of the IR's text agree on: the fields of a shader, of its inputs, outputs and
 * resources. */
#ifndef COMPILER_IR_IR_TEXT_H
#define COMPILER_IR_IR_TEXT_H

#include "compiler/ir/ir.h"

enum ir_field_kind {
    IR_FIELD_BOOL,
    IR_FIELD_U8,
    IR_FIELD_U16,
    IR_FIELD_U32,
    IR_FIELD_U64,
    IR_FIELD_WORD,
    IR_FIELD_LOCATION,
    IR_FIELD_TEXT
};

/* A member of a struct that is printed as its name and value where it is not zero. A bool is its name alone. */
struct ir_field {
    const char *name;
    uint32_t offset_B;
    enum ir_field_kind kind;
    const char *const *words; /* of a WORD: an enum's names */
    uint32_t num_words;
    uint64_t largest; /* 0: whatever the kind has room for */
};

struct ir_fields {
    const struct ir_field *data;
    uint32_t count;
};
extern const struct ir_fields ir_shader_fields, ir_io_fields, ir_resource_fields, ir_capture_fields;
extern const struct ir_fields ir_flag_fields; /* names of IR_FLAG_*, from bit 0 on */

extern const char *const ir_stage_names[];
extern const uint32_t ir_num_stages;
extern const char *const ir_location_names[];
extern const uint32_t ir_num_location_names;

uint64_t ir_field_get(const struct ir_field *field, const void *object);
/* The largest number that the text may give it. */
uint64_t ir_field_largest(const struct ir_field *field);
void ir_field_set(const struct ir_field *field, void *object, uint64_t value);

/* For messages: one instruction without the line's end. */
struct strbuf;
void ir_print_instr(const struct ir_instr *instr, struct strbuf *out);

/* As ir_parse, but the result may break the rules that ir_validate checks. */
struct ir_shader *ir_parse_unchecked(const char *text, char error_out[256]);

#endif
