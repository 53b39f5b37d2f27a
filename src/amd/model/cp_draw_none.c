/* The graphics pipeline of a model that has none: every draw stops. A library with a pipeline is built without this
 * file. */
#include <errno.h>
#include <stdlib.h>

#include "amd/model/cp_draw.h"

struct ge {
    const struct amd_chip *chip;
};

struct ge *ge_create(const struct amd_chip *chip, struct workers *workers, struct spi *spi)
{
    struct ge *ge = calloc(1, sizeof(*ge));
    if (ge)
        ge->chip = chip;
    return ge;
}

void ge_destroy(struct ge *ge)
{
    free(ge);
}

bool ge_draw(struct ge *ge, const struct ge_draw *draw, struct ge_result *result_out)
{
    result_out->error = -ENOSYS;
    result_out->why = "the graphics pipeline is not built yet";
    return false;
}

uint64_t ge_progress(const struct ge *ge)
{
    return 0;
}
