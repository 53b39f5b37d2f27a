#include "amd/compiler/select.h"
bool sel_image(struct select *ctx, struct ir_instr *instr) { (void)ctx; (void)instr; return false; }
bool sel_input(struct select *ctx, struct ir_instr *instr) { (void)ctx; (void)instr; return false; }
bool sel_output(struct select *ctx, struct ir_instr *instr) { (void)ctx; (void)instr; return false; }
void sel_outputs_begin(struct select *ctx) { (void)ctx; }
void sel_outputs_end(struct select *ctx) { (void)ctx; }
