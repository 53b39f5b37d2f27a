/* Memory by the compute subqueue: fills and copies, as commands of the application and for the driver itself. They wait
 * for nothing. */
#ifndef MALI_DRIVER_TRANSFER_H
#define MALI_DRIVER_TRANSFER_H

#include "mali/driver/cmd.h"

/* `va` and `size_B` are multiples of 4. */
void mali_cmd_fill(struct mali_cmd_buffer *cmd, uint64_t va, uint64_t size_B, uint32_t value);

#endif
