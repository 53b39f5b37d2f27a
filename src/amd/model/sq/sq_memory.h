/* Memory instructions of a wave. Each has two halves: finding where every active lane's data lie in host memory (by the
 * kind of address: flat, buffer, LDS), and moving the data (the same for all: load, store, atomic). This header is what
 * the halves share. */
#ifndef AMD_MODEL_SQ_MEMORY_H
#define AMD_MODEL_SQ_MEMORY_H

#include "amd/model/sq/sq_code.h"

/* Where each lane's data lie. NULL: the lane is inactive or out of range; it reads zero and writes nothing. */
struct sq_places {
    uint8_t *at[LANES_MAX];
};

/* The data half's facts of an instruction besides isa_op_info. */
static inline uint32_t sq_access_size_B(const struct isa_op_info *info, unsigned dwords)
{
    switch (info->element) {
    case ISA_TYPE_U8:
    case ISA_TYPE_I8:
        return 1;
    case ISA_TYPE_U16:
    case ISA_TYPE_I16:
        return 2;
    default:
        return dwords * 4;
    }
}

/* Translate one lane's address. False: a fault, already reported. */
bool amd_sq_resolve_slowly(struct sq_wave *wave, const struct sq_uop *uop, uint64_t va, uint32_t size_B, unsigned need,
                           uint8_t **at_out);

static inline bool sq_resolve(struct sq_wave *wave, const struct sq_uop *uop, uint64_t va, uint32_t size_B,
                              unsigned need, uint8_t **at_out)
{
    *at_out = gpu_space_pointer(wave->memory, va, size_B, need);
    return __builtin_expect(*at_out != NULL, 1) || amd_sq_resolve_slowly(wave, uop, va, size_B, need, at_out);
}

/* A lane's access, where wave->coherence is set (docs/coherence.md). */
void amd_sq_note(const struct sq_wave *wave, const struct sq_uop *uop, uint64_t va, uint32_t size_B, unsigned need);
static inline void sq_note(const struct sq_wave *wave, const struct sq_uop *uop, uint64_t va, uint32_t size_B,
                           unsigned need)
{
    if (__builtin_expect(wave->coherence != NULL, 0))
        amd_sq_note(wave, uop, va, size_B, need);
}
/* A program is launched. */
void amd_sq_note_program(struct coherence_actor *coherence, uint64_t program_va);

/* Move the data of the active lanes. `rows` are the registers; `dwords` how many of them. */
void amd_sq_load(struct sq_wave *wave, const struct isa_op_info *info, const struct sq_places *places, uint32_t *rows,
                 unsigned dwords);
void amd_sq_store(struct sq_wave *wave, const struct isa_op_info *info, const struct sq_places *places,
                  const uint32_t *rows, unsigned dwords);

/* data1 is the second operand of a compare-and-swap (the new value) or of DS's three-operand forms; old values go to
 * `result` unless it is NULL. */
void amd_sq_atomic(struct sq_wave *wave, const struct isa_op_info *info, const struct sq_places *places,
                   const uint32_t *data0, const uint32_t *data1, uint32_t *result);

/* An atomic of 32 bits where no other thread sees the memory: LDS, for a worker runs all waves of a workgroup. */
void amd_sq_atomic_alone(const struct sq_wave *wave, const struct isa_op_info *info, const struct sq_places *places,
                         const uint32_t *data0, const uint32_t *data1, uint32_t *result);

/* Each active lane's data to its place, what was there to `old`. */
void amd_sq_exchange(struct sq_wave *wave, const struct sq_places *places, const uint32_t *data, uint32_t *old,
                     unsigned dwords);

/* One handler per helper name of the instruction table. uop->d is the place of the data or destination, s[0] of the
 * vector address, s[1] of the scalar address or descriptor, s[2] of the scalar offset; imm is the byte offset. */
void amd_sq_flat(struct sq_wave *wave, const struct sq_uop *uop);
/* amd_sq_flat, or what does the same faster for many waves of a global instruction (sq_global.c). */
sq_run_fn amd_sq_global_handler(const struct isa_inst *inst);
void amd_sq_buffer(struct sq_wave *wave, const struct sq_uop *uop);
void amd_sq_smem_load(struct sq_wave *wave, const struct sq_uop *uop);
void amd_sq_smem_buffer_load(struct sq_wave *wave, const struct sq_uop *uop);
void amd_sq_smem_time(struct sq_wave *wave, const struct sq_uop *uop);
/* The dwords of s[0], one a lane, to LDS at m0 and the offset: the second half of a load into LDS. */
void amd_sq_uop_rows_to_lds(struct sq_wave *wave, const struct sq_uop *uop);

/* d = what m0 names in LDS, in every lane. */
void amd_sq_uop_lds_direct(struct sq_wave *wave, const struct sq_uop *uop);

/* The global wave sync (sq_gws.c). */
sq_run_fn amd_sq_gws_handler(const struct isa_inst *inst);

/* Loads of LDS by one address a lane, and by two. */
void amd_sq_ds_load(struct sq_wave *wave, const struct sq_uop *uop);
void amd_sq_ds_load2(struct sq_wave *wave, const struct sq_uop *uop);
/* The offset of address 0 or 1 of a two-address form. */
uint32_t amd_sq_ds_offset2_B(const struct sq_uop *uop, unsigned which, uint32_t element_B);
sq_run_fn amd_sq_ds_handler(const struct isa_inst *inst, const struct isa_op_info *info);

bool amd_sq_translate_memory(struct sq_builder *builder, const struct isa_inst *inst, const struct isa_op_info *info);

/* Register index of a special scalar operand (sq_translate.c). */
unsigned amd_sq_special_register(const struct isa_operand *operand);

#endif
