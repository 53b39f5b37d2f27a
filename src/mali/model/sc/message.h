/* Parts of the message instructions: buffers (resource.c), textures and attributes (texture.c), what the launching
 * block answers (message.c). */
#ifndef MALI_MODEL_SC_MESSAGE_H
#define MALI_MODEL_SC_MESSAGE_H

#include "mali/model/sc/code.h"

/* Call `ask` once for each handle that an active lane has. Where it returns false the job is stopped. */
void mali_sc_each_handle(struct mali_warp *warp, const struct sc_uop *uop, const uint32_t *handles,
                         bool (*ask)(struct mali_warp *warp, const struct sc_uop *uop, uint32_t handle,
                                     uint64_t lanes));

/* The load of a micro-operation that names its varying itself; rows are not among it. False: it is none. */
bool mali_sc_varying_of(const struct sc_uop *uop, struct mali_varying_load *load_out);
bool mali_sc_is_blend(const struct sc_uop *uop);

/* Whether it is TEX_FETCH, and the texels at level 0 of a layer that it reads by these handles (tex/area.h). The warp
 * is at its beginning. False: not so. */
bool mali_sc_is_fetch(const struct sc_uop *uop);
struct mali_tex_area;
bool mali_sc_fetch_area(struct mali_warp *warp, const struct sc_uop *uop, const uint32_t handles[2], uint32_t layer,
                        struct mali_tex_area *area_out);

/* False: it is none of theirs. */
bool mali_sc_translate_buffer(struct sc_builder *builder);
bool mali_sc_translate_texture(struct sc_builder *builder);

#endif
