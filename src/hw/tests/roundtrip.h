/* Rules for every family's tables: the typed structs and the run-time tables say the same, bit by bit, and every row
 * is found. The structs are reached through generated functions (hw_roundtrip.c), so that a new row is tested by
 * being there. Each check is a cmocka assertion. */
#ifndef HW_TESTS_ROUNDTRIP_H
#define HW_TESTS_ROUNDTRIP_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/table.h"

/* One row of the generated test tables: the typed code of a register, packet or descriptor without its type. */
struct hw_roundtrip {
    const char *name;
    /* Unpack and pack again; false when a packet was refused as too short. */
    bool (*repack)(unsigned generation, const uint32_t *in_dw, unsigned count_dw, uint32_t *out_dw);
    /* The member of the unpacked struct that stands for field number `field`, as raw bits. */
    uint64_t (*member)(unsigned generation, const uint32_t *in_dw, unsigned count_dw, unsigned field);
};

/* In the order of the family's tables; roundtrip_<word>s of each kind of packet. */
extern const struct hw_roundtrip roundtrip_regs[];
extern const struct hw_roundtrip roundtrip_descriptors[];

void hw_check_registers(const struct hw_tables *tables);
void hw_check_descriptors(const struct hw_tables *tables);

/* `header`: what dword 0 is, for packets whose header holds their length; NULL: the opcode is where the kind has it. */
void hw_check_packets(const struct hw_packets *packets, const struct hw_roundtrip *code, unsigned generation_count,
                      uint32_t (*header)(unsigned opcode, unsigned length_dw));

/* A dword less than a packet needs, and it is refused. */
void hw_check_short_packets(const struct hw_packets *packets, const struct hw_roundtrip *code, unsigned generation);

/* The index finds a row at every place of every row and nowhere else. */
void hw_check_places(const struct hw_tables *tables);

/* Whatever is ignored or stops has a reason, and nothing else has. */
void hw_check_reasons(const struct hw_tables *tables);

/* Names lead back to their rows. */
void hw_check_names(const struct hw_tables *tables);

#endif
