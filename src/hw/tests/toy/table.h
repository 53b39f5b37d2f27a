/* Definitions of the generated tables of the made-up family. */
#ifndef HW_TESTS_TOY_TABLE_H
#define HW_TESTS_TOY_TABLE_H

#include "hw/table.h"

extern const struct hw_tables toy_hw_tables;
extern const struct hw_reg *const toy_regs;
extern const unsigned toy_reg_count;
extern const struct hw_packet *const toy_packets;
extern const unsigned toy_packet_count;
extern const struct hw_packet *const toy_instruction_packets;
extern const unsigned toy_instruction_packet_count;
extern const struct hw_descriptor *const toy_descriptors;
extern const unsigned toy_descriptor_count;

const char *toy_format_name(unsigned generation, unsigned number);

#endif
