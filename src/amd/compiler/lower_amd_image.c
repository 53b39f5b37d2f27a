#include "amd/compiler/lower_amd.h"
bool lower_amd_image(struct ir_shader *shader, const void *options) { (void)shader; (void)options; return false; }
