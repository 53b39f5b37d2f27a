/* The texture unit as the shader core calls it: the handlers of its instructions, and the cache of descriptors that
 * each worker keeps beside its programs. The unit itself is texture/'s and knows the core; the core knows this
 * alone. */
#ifndef AMD_MODEL_SQ_TEXTURE_H
#define AMD_MODEL_SQ_TEXTURE_H

#include "amd/model/sq/sq_code.h"

struct tc_cache;

/* The handler of an image or typed buffer instruction and its flags; NULL: not implemented. */
sq_run_fn amd_ta_handler(const struct isa_inst *inst, const struct isa_op_info *info, uint32_t *flags_out);

/* NULL: out of memory, or a configuration of memory that no known chip has. */
struct tc_cache *amd_tc_cache_create(uint32_t gb_addr_config);
void amd_tc_cache_destroy(struct tc_cache *cache);
uint32_t amd_tc_cache_config(const struct tc_cache *cache);

#endif
