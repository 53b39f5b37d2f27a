/* Memory of the visibility streams. What does not fit counts as visible, so a size that serves most passes will do. */
#include "adreno/driver/graphics.h"
#include "adreno/driver/memory.h"
#include "util/bits.h"

#define PRIM_B 0x4000u /* of a pipe */
#define DRAW_B 0x1000u

const struct adreno_visibility *adreno_visibility(struct adreno_device *device)
{
    struct adreno_visibility *v = &device->visibility;
    const uint32_t pipes = device->chip->vsc_pipes;
    pthread_mutex_lock(&device->private_lock);
    if (!v->bo) {
        v->prim_pitch_B = PRIM_B + ADRENO_VISIBILITY_PAD_B;
        v->draw_pitch_B = DRAW_B + ADRENO_VISIBILITY_PAD_B;
        v->draw_at_B = pipes * v->prim_pitch_B;
        v->size_at_B = v->draw_at_B + pipes * v->draw_pitch_B;
        if (adreno_mapped_bo_create(device, align_u64(v->size_at_B + 4 * pipes, 4096), MSM_BO_WC, &v->bo) != VK_SUCCESS)
            v->bo = NULL;
    }
    pthread_mutex_unlock(&device->private_lock);
    return v->bo ? v : NULL;
}
