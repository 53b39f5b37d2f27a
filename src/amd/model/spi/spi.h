/* The launcher of waves of one device: decoded programs and memory that its workers keep from job to job. */
#ifndef AMD_MODEL_SPI_H
#define AMD_MODEL_SPI_H

#include <stdint.h>

struct gpu_space;
struct spi;
struct sq_code;
struct workers;

struct spi *amd_spi_create(struct workers *workers);
void amd_spi_destroy(struct spi *spi);

/* Decoded programs may be stale from here on (an instruction-cache invalidate). */
void amd_spi_invalidate_code(struct spi *spi);

/* The address space is destroyed: drop what was decoded from it. */
void amd_spi_forget_space(struct spi *spi, const struct gpu_space *space);

/* The decoded programs of a space, for other stages that run waves on a worker: they stay as they are until
 * amd_spi_leave. From that worker only. NULL: no memory, and nothing to leave. */
struct sq_code *amd_spi_enter(struct spi *spi, unsigned worker, const struct gpu_space *space);
void amd_spi_leave(struct spi *spi, unsigned worker, const struct sq_code *code);

/* The number with which a thread that is not a worker enters: one at a time, others wait until it has left. */
unsigned amd_spi_outside(const struct spi *spi);

/* Grows while waves make progress. */
uint64_t amd_spi_progress(const struct spi *spi);

#endif
