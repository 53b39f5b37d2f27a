/* The shared part of the assembler's files: the text and where it is read, an operand as it was written, the
 * modifiers after it. A statement is read into a struct asm_statement first (asm_operand.c, asm_modifier.c) and then
 * fitted to the encodings of its instruction (asm_match.c). */
#ifndef AMD_ISA_ASM_INTERNAL_H
#define AMD_ISA_ASM_INTERNAL_H

#include "amd/isa/asm.h"
#include "amd/isa/isa_tables.h"
#include "util/array.h"
#include "util/map.h"

#define ASM_MAX_OPERANDS 6
#define ASM_MAX_LIST (1 + ISA_MAX_NSA)
#define ASM_MAX_NAME 64

struct asm_symbol {
    int64_t value; /* of a label: the index of its dword */
    bool label;
};

/* A branch to a label: bits 15:0 of a word become the distance from the word after it. */
struct asm_fixup {
    uint32_t word;
    const char *at; /* the name in the text */
    uint32_t length;
    uint32_t line;
    const char *line_start;
};

struct asm_parser {
    const char *p;
    const char *end;
    const char *line_start; /* of the line that p is in */
    uint32_t line;
    enum isa_gfx gfx;
    unsigned wave_size;
    const struct isa_generation *gen;
    bool quiet; /* errors are only wanted as a result: another encoding will be tried */
    bool out_of_memory;
    struct isa_asm_result *out;
    struct strmap symbols; /* struct asm_symbol by name */
    ARRAY(uint32_t) words;
    ARRAY(struct asm_fixup) fixups;
};

/* Keep an error at a place of the current line; returns false. */
bool amd_asm_error(struct asm_parser *parser, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- asm_lex.c ---- */

struct asm_name {
    const char *text;
    uint32_t length;
};

/* Skip spaces and comments inside a line; returns the character there, or 0 at the end of the statement. */
char amd_asm_peek(struct asm_parser *parser);
bool amd_asm_at_end(struct asm_parser *parser);

/* Skip one character if it comes next. */
bool amd_asm_accept(struct asm_parser *parser, char c);
bool amd_asm_expect(struct asm_parser *parser, char c);

/* An identifier, or false where there is none. */
bool amd_asm_read_name(struct asm_parser *parser, struct asm_name *out);
bool amd_asm_peek_name(struct asm_parser *parser, struct asm_name *out);
bool amd_asm_name_is(struct asm_name name, const char *text);

/* An integer expression of numbers and symbols. `simple` ends it after its first term. */
bool amd_asm_expression(struct asm_parser *parser, bool simple, int64_t *out);

/* An integer expression between min and max. */
bool amd_asm_number(struct asm_parser *parser, const char *what, int64_t min, int64_t max, int64_t *out);

/* True where a floating-point number comes next; it is read then. */
bool amd_asm_read_real(struct asm_parser *parser, double *out);

/* Index of a name in a table of names with gaps; -1 where it is missing. */
int amd_asm_find_name(const char *const *names, unsigned count, struct asm_name name);

/* ---- asm_operand.c ---- */

enum asm_kind {
    ASM_REGISTER, /* reg; several_widths where the name fits 32 and 64 bits */
    ASM_LIST,     /* VGPRs that are not one after the other, or were written as a list */
    ASM_NUMBER,   /* number */
    ASM_REAL,     /* real */
    ASM_LABEL,    /* name */
    ASM_OFF,
    ASM_ATTR,   /* number: attribute * 4 + channel */
    ASM_PARAM,  /* number */
    ASM_TARGET, /* number: of an export */
    ASM_PACKED, /* number: what hwreg(), sendmsg() or counters make; type: which of them */
};

enum asm_source_modifier {
    ASM_ABS = 1,
    ASM_NEG = 2,
    ASM_SEXT = 4
};

struct asm_operand {
    uint8_t kind;
    uint8_t modifiers; /* enum asm_source_modifier */
    bool several_widths;
    uint8_t type; /* of ASM_PACKED: enum isa_type */
    uint8_t list_count;
    struct isa_operand reg;
    const char *at;
    union {
        int64_t number;
        double real;
        uint8_t list[ASM_MAX_LIST];
    };
    struct asm_name name;
};

/* Read one operand; `op` decides what some names mean. */
bool amd_asm_read_operand(struct asm_parser *parser, unsigned op, struct asm_operand *out);

/* hwreg(...), sendmsg(...), vmcnt(...) ...: false where none comes next, else *ok_out says whether it was right. */
bool amd_asm_read_packed(struct asm_parser *parser, struct asm_operand *out, bool *ok_out);

/* The number of swizzle(...); the word itself was read. */
bool amd_asm_read_swizzle(struct asm_parser *parser, int64_t *out);

/* ---- asm_modifier.c ---- */

enum asm_modifier {
    ASM_MOD_CLAMP,
    ASM_MOD_OMOD,
    ASM_MOD_OP_SEL,
    ASM_MOD_OP_SEL_HI,
    ASM_MOD_NEG_LO,
    ASM_MOD_NEG_HI,
    ASM_MOD_HIGH,
    ASM_MOD_DPP_CTRL,
    ASM_MOD_DPP8,
    ASM_MOD_ROW_MASK,
    ASM_MOD_BANK_MASK,
    ASM_MOD_BOUND_CTRL,
    ASM_MOD_FI,
    ASM_MOD_DST_SEL,
    ASM_MOD_DST_UNUSED,
    ASM_MOD_SRC0_SEL,
    ASM_MOD_SRC1_SEL,
    ASM_MOD_OFFEN,
    ASM_MOD_IDXEN,
    ASM_MOD_OFFSET,
    ASM_MOD_OFFSET0,
    ASM_MOD_OFFSET1,
    ASM_MOD_GLC,
    ASM_MOD_SLC,
    ASM_MOD_DLC,
    ASM_MOD_GDS,
    ASM_MOD_LDS,
    ASM_MOD_TFE,
    ASM_MOD_LWE,
    ASM_MOD_R128,
    ASM_MOD_A16,
    ASM_MOD_D16,
    ASM_MOD_UNORM,
    ASM_MOD_DMASK,
    ASM_MOD_DIM,
    ASM_MOD_FORMAT,
    ASM_MOD_DONE,
    ASM_MOD_COMPR,
    ASM_MOD_VM,
    ASM_MOD_COUNT,
};

#define ASM_MOD_BIT(modifier) (1ull << (modifier))

struct asm_modifiers {
    uint64_t seen; /* bit of each enum asm_modifier */
    uint8_t count;
    uint8_t order[ASM_MOD_COUNT]; /* as they were written */
    int64_t value[ASM_MOD_COUNT];
    const char *at[ASM_MOD_COUNT];
};

/* True where a modifier comes next. It is not read. */
bool amd_asm_is_modifier(struct asm_name name, char behind);
bool amd_asm_read_modifier(struct asm_parser *parser, struct asm_modifiers *mods);
const char *amd_asm_modifier_name(unsigned modifier);

/* ---- asm_match.c ---- */

struct asm_statement {
    unsigned op;
    unsigned variant; /* what the suffix asks for */
    bool has_variant;
    const char *at;
    unsigned count;
    struct asm_operand operands[ASM_MAX_OPERANDS];
    struct asm_modifiers mods;
};

/* The encoding that LLVM would choose; on success the words are in words_out and label_out, where not NULL, is an
 * operand that bits 15:0 of the first word wait for. */
bool amd_asm_encode_statement(struct asm_parser *parser, const struct asm_statement *statement,
                              uint32_t words_out[ISA_MAX_DW], unsigned *count_out,
                              const struct asm_operand **label_out);

/* ---- asm_constant.c ---- */

enum asm_constant_result {
    ASM_CONSTANT_NONE,
    ASM_CONSTANT_INLINE,
    ASM_CONSTANT_LITERAL
};

/* A number as the source of an operand of a type: inline where it can be, else a literal of 32 bits. With `fold`, abs
 * and neg are applied to the number itself. */
enum asm_constant_result amd_asm_constant(unsigned type, const struct asm_operand *operand, bool fold,
                                          struct isa_operand *out, uint32_t *literal_out);

/* A number as the literal of an operand that is always one. */
bool amd_asm_literal(unsigned type, const struct asm_operand *operand, uint32_t *literal_out);

#endif
