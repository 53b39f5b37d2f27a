/* The buffers of every shader of the corpus, for both runners. Word i of a range is a hash of i: no state,
 * so that a shader's author can compute it.
 *
 *   binding 0  input, 64 KiB: 8192 words of noise, then 8192 floats in [-4, 4), multiples of 2^-21
 *   binding 1  output, 16 KiB, zero
 *   binding 2  uniform block, 256 bytes: words 1 to 16, then floats 0.25, 0.5, ... 12
 *   binding 3  second storage buffer, 4 KiB, zero
 *   push constants, 64 bytes: words 3, 5, 7, ... 17, then floats 0.5, 1, 1.5, 2, 2.5, 3, then the address of a buffer
 *              of 4 KiB whose word i is i * i
 *
 * A dump is the output, the second buffer and the addressed buffer, in this order. Of a shader that is drawn the output
 * is the colour target and the addressed buffer is the depth target; the storage images of corpus_images.c follow where
 * it has images. */
#ifndef TESTS_SHADERS_WORLD_H
#define TESTS_SHADERS_WORLD_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define INPUT_B 65536
#define OUTPUT_B 16384
#define BLOCK_B 256
#define SECOND_B 4096
#define ADDRESSED_B 4096
#define PUSH_B 64

struct world {
    uint32_t input[INPUT_B / 4], output[OUTPUT_B / 4], block[BLOCK_B / 4], second[SECOND_B / 4],
        addressed[ADDRESSED_B / 4], push[PUSH_B / 4];
};

/* A line of a list: what is asked of it, the module and its groups, or how it is drawn: vertices, instances and
 * samples. */
enum job_kind {
    JOB_BUFFERS, /* compute with the buffers above */
    JOB_IMAGES,  /* compute with images, too */
    JOB_DRAW,    /* triangles, over four layers */
    JOB_POINTS,
    JOB_VIEWS, /* triangles, each layer a view */
    JOB_KINDS
};

struct job {
    char path[512];
    char name[128];
    enum job_kind kind;
    uint32_t groups[3];
};

static inline uint32_t world_hash(uint32_t x)
{
    x = x * 0x9e3779b9 + 1;
    x = (x ^ x >> 16) * 0x85ebca6b;
    x = (x ^ x >> 13) * 0xc2b2ae35;
    return x ^ x >> 16;
}

static inline uint32_t world_float(float value)
{
    uint32_t word;
    memcpy(&word, &value, 4);
    return word;
}

static inline void world_fill(struct world *world, uint64_t address)
{
    memset(world, 0, sizeof(*world));
    for (uint32_t i = 0; i < INPUT_B / 8; i++) {
        world->input[i] = world_hash(i);
        world->input[INPUT_B / 8 + i] = world_float((float)(world_hash(i + INPUT_B) >> 8) / 2097152.0f - 4.0f);
    }
    for (uint32_t i = 0; i < 16; i++)
        world->block[i] = i + 1;
    for (uint32_t i = 16; i < BLOCK_B / 4; i++)
        world->block[i] = world_float(0.25f * (float)(i - 15));
    for (uint32_t i = 0; i < ADDRESSED_B / 4; i++)
        world->addressed[i] = i * i;
    for (uint32_t i = 0; i < 8; i++)
        world->push[i] = 3 + 2 * i;
    for (uint32_t i = 8; i < 14; i++)
        world->push[i] = world_float(0.5f * (float)(i - 7));
    world->push[14] = (uint32_t)address;
    world->push[15] = (uint32_t)(address >> 32);
}

/* False at the end of the list. The path comes last, for it may hold blanks. */
static inline int world_next_job(FILE *list, struct job *job)
{
    static const char *const kinds[JOB_KINDS] = {"buffers", "images", "draw", "points", "views"};
    char kind[16];
    if (fscanf(list, "%127s %15s %u %u %u %511[^\n]", job->name, kind, &job->groups[0], &job->groups[1],
               &job->groups[2], job->path) != 6)
        return 0;
    for (job->kind = JOB_BUFFERS; job->kind < JOB_KINDS && strcmp(kinds[job->kind], kind) != 0;)
        job->kind++;
    return job->kind < JOB_KINDS;
}

/* 0 where the file was not written. */
static inline int world_dump(const struct world *world, const char *directory, const char *name, const char *suffix)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s.%s", directory, name, suffix);
    FILE *file = fopen(path, "wb");
    if (!file)
        return 0;
    size_t written = fwrite(world->output, 1, OUTPUT_B, file) + fwrite(world->second, 1, SECOND_B, file) +
                     fwrite(world->addressed, 1, ADDRESSED_B, file);
    return fclose(file) == 0 && written == OUTPUT_B + SECOND_B + ADDRESSED_B;
}

#endif
