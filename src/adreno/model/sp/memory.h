/* The common part of the memory instructions: rows of a register and of those that follow it, types, lanes that may
 * write. */
#ifndef ADRENO_MODEL_SP_MEMORY_H
#define ADRENO_MODEL_SP_MEMORY_H

#include "adreno/model/sp/uop.h"

/* The field `type` of categories 5 and 6. */
enum sp_type {
    SP_TYPE_F16,
    SP_TYPE_F32,
    SP_TYPE_U16,
    SP_TYPE_U32,
    SP_TYPE_S16,
    SP_TYPE_S32,
    SP_TYPE_U8, /* u64 of an atomic */
    SP_TYPE_U8_32,
};

static inline bool sp_is_half_type(unsigned type)
{
    return type % 2 == 0;
}

static inline uint32_t sp_type_size_B(unsigned type)
{
    return type >= SP_TYPE_U8 ? 1 : sp_is_half_type(type) ? 2 : 4;
}

/* One register of all lanes. */
struct sp_column {
    uint32_t *row;
    uint32_t shift; /* of a half register */
    uint32_t mask;  /* what belongs to it */
};

static inline struct sp_column sp_column(struct adreno_wave *wave, unsigned component, bool is_half)
{
    if (!is_half)
        return (struct sp_column){adreno_wave_row(wave, component & 0xff), 0, UINT32_MAX};
    const unsigned shift = adreno_half_shift(component & 0xff);
    return (struct sp_column){adreno_wave_row(wave, adreno_half_row(component & 0xff)), shift, 0xffffu << shift};
}

static inline uint32_t sp_get(const struct sp_column *column, unsigned lane)
{
    return (column->row[lane] & column->mask) >> column->shift;
}

static inline void sp_put(const struct sp_column *column, unsigned lane, uint32_t value)
{
    column->row[lane] = (column->row[lane] & ~column->mask) | (value << column->shift & column->mask);
}

static inline bool sp_is_shared(unsigned component)
{
    return component >= ADRENO_ISA_REG_SHARED && component < ADRENO_ISA_REG_A0;
}

/* A shared register gets what the first active lane has. */
static inline void sp_spread(struct adreno_wave *wave, const struct sp_column *column)
{
    const uint32_t value = sp_get(column, lane_mask_lowest(wave->active));
    for (unsigned i = 0; i < wave->lanes; i++)
        sp_put(column, i, value);
}

/* Lanes whose stores are seen. */
static inline struct lane_mask sp_writers(const struct adreno_wave *wave)
{
    return lane_mask_and(wave->active, wave->covered);
}

/* The register of a lane, or the number, that an operand is. */
static inline uint32_t sp_scalar(struct adreno_wave *wave, const struct adreno_isa_operand *operand, unsigned lane)
{
    if (operand->kind != ADRENO_ISA_OPERAND_GPR)
        return (uint32_t)operand->value;
    return adreno_wave_row(wave, (unsigned)operand->value & 0xff)[lane];
}

/* The words of descriptor `index` of the set `base`; base -1: of the stage's own. NULL: the wave is faulted. */
enum sp_descriptor {
    SP_DESCRIPTOR_TEXTURE,
    SP_DESCRIPTOR_SAMPLER,
    SP_DESCRIPTOR_UBO,
    SP_DESCRIPTOR_IBO,
};
const uint32_t *adreno_sp_descriptor(struct adreno_wave *wave, const struct sp_uop *uop, enum sp_descriptor kind,
                                     int base, uint32_t index);
/* The descriptor, without a fault where there is none. */
const uint32_t *adreno_sp_find_descriptor(const struct adreno_wave *wave, enum sp_descriptor kind, int base,
                                          uint32_t index);

/* An atomic operation on memory of the host: what was there before. `data` is the new value of an exchange. */
enum sp_atomic {
    SP_ATOMIC_ADD,
    SP_ATOMIC_SUB,
    SP_ATOMIC_XCHG,
    SP_ATOMIC_INC,
    SP_ATOMIC_DEC,
    SP_ATOMIC_CMPXCHG,
    SP_ATOMIC_MIN,
    SP_ATOMIC_MAX,
    SP_ATOMIC_AND,
    SP_ATOMIC_OR,
    SP_ATOMIC_XOR,
};
uint64_t adreno_sp_atomic(void *at, enum sp_atomic op, unsigned type, uint64_t data, uint64_t compare);

/* Dwords of a buffer whose descriptor is the same for all lanes: isam, isam.v, ldib, stib. */
struct sp_dword_access {
    enum sp_descriptor kind;
    int base; /* of the descriptor, as above */
    uint32_t descriptor;
    unsigned index;   /* the component that has the element's number */
    uint32_t offset;  /* is added to it */
    unsigned wrmask;  /* the elements that follow each other from there on, and which of them are wanted */
    unsigned data;    /* the component that the first goes to, or comes from */
    bool needs_plain; /* only from buffers whose elements are dwords */
};
bool adreno_sp_is_dword_load(const struct adreno_isa_inst *inst, struct sp_dword_access *access_out); /* isam */
bool adreno_sp_is_dword_ibo(const struct adreno_isa_inst *inst, struct sp_dword_access *access_out);

/* False: this is for the texture unit, or the wave is faulted. */
bool adreno_sp_buffer_load(struct adreno_wave *wave, const struct sp_uop *uop, const struct sp_dword_access *load);
/* The bytes of a buffer that can be accessed so; NULL: for the texture unit. */
struct sp_view;
const struct sp_view *adreno_sp_view(struct adreno_wave *wave, const uint32_t *words, unsigned need);
bool adreno_sp_buffer_store(struct adreno_wave *wave, const struct sp_uop *uop, const struct sp_dword_access *store);

/* Micro-operations of local and private memory (memory.c), of the texture unit (texture.c), of images and buffers with
 * descriptors (image.c) and of single lanes (lanewise.c). */
void adreno_sp_run_load(struct adreno_wave *wave, const struct sp_uop *uop);
void adreno_sp_run_request(struct adreno_wave *wave, const struct sp_uop *uop);
void adreno_sp_run_ldc(struct adreno_wave *wave, const struct sp_uop *uop);
void adreno_sp_run_ldc_k(struct adreno_wave *wave, const struct sp_uop *uop);
void adreno_sp_run_ldib(struct adreno_wave *wave, const struct sp_uop *uop);
void adreno_sp_run_stib(struct adreno_wave *wave, const struct sp_uop *uop);
void adreno_sp_run_atomic_b(struct adreno_wave *wave, const struct sp_uop *uop);
void adreno_sp_run_resinfo(struct adreno_wave *wave, const struct sp_uop *uop);
void adreno_sp_run_shfl(struct adreno_wave *wave, const struct sp_uop *uop);
/* imm: bit 0: by y; bit 1: each pixel has its own, else all of a quad have that of the first. */
void adreno_sp_run_derivative(struct adreno_wave *wave, const struct sp_uop *uop);
/* imm 0: the lane of each quad that src1 names; 1, 2, 3: the neighbour in the row, the column, the diagonal. */
void adreno_sp_run_quad_shuffle(struct adreno_wave *wave, const struct sp_uop *uop);
/* The pixel of a quad that a derivative is subtracted at, two bits for each pixel of it. */
unsigned adreno_sp_quad_low(uint32_t imm);
/* Fine derivatives are made by two instructions, each for two pixels of a quad. Where they write other registers than
 * they read, both write all pixels here, which comes to the same; but not where the second finds what the first has
 * written. */
bool adreno_sp_derivative_is_in_place(const struct adreno_isa_inst *inst);
void adreno_sp_run_identity(struct adreno_wave *wave, const struct sp_uop *uop);

#endif
