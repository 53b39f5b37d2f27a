/* Pipeline caches that somebody else has written: pipelines of every kind are made of forged files, recorded and
 * run. A device may be lost, but a pipeline is never refused: it is compiled where the file is of no use. Wrong is also
 * what the sanitizers report.
 *
 *     forged_caches LIBRARY [RUNS [FIRST]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forge.h"
#include "world.h"

#define DRAWS 3

/* NULL where the device does not have them, or the file was refused. */
struct pipelines {
    VkPipeline draws[DRAWS], dispatch;
};

static unsigned refused, ran, lost;

/* ---- pipelines ---- */

static void note_result(VkResult result)
{
    refused += result != VK_SUCCESS;
}

static void create_pipelines(const struct world *w, VkPipelineCache cache, struct pipelines *out)
{
    *out = (struct pipelines){0};
    note_result(world_create_draw(w, cache, false, false, &out->draws[0]));
    if (w->has_tessellation)
        note_result(world_create_draw(w, cache, true, false, &out->draws[1]));
    if (w->has_geometry)
        note_result(world_create_draw(w, cache, w->has_tessellation, true, &out->draws[2]));
    note_result(world_create_dispatch(w, cache, &out->dispatch));
}

static void destroy_pipelines(const struct world *w, const struct pipelines *pipelines)
{
    for (unsigned i = 0; i < DRAWS; i++)
        vk.DestroyPipeline(w->device, pipelines->draws[i], NULL);
    vk.DestroyPipeline(w->device, pipelines->dispatch, NULL);
}

/* ---- running them ---- */

static void record_draws(const struct world *w, const struct pipelines *pipelines)
{
    const VkDeviceSize offset = 0;
    world_begin_rendering(w);
    vk.CmdBindVertexBuffers(w->commands, 0, 1, &w->buffer, &offset);
    for (unsigned i = 0; i < DRAWS; i++) {
        if (!pipelines->draws[i])
            continue;
        world_bind(w, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines->draws[i]);
        vk.CmdDraw(w->commands, 3, 2, 0, 0);
        ran++;
    }
    vk.CmdEndRendering(w->commands);
}

static VkResult run_pipelines(const struct world *w, const struct pipelines *pipelines)
{
    TRY(world_begin(w));
    record_draws(w, pipelines);
    if (pipelines->dispatch) {
        world_bind(w, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines->dispatch);
        vk.CmdDispatch(w->commands, 2, 1, 1);
        ran++;
    }
    return world_run(w);
}

/* ---- files ---- */

static VkResult create_cache(const struct world *w, const void *bytes, size_t size_B, VkPipelineCache *out)
{
    const VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = size_B, .pInitialData = bytes};
    return vk.CreatePipelineCache(w->device, &info, NULL, out);
}

/* The file that all others are made of; NULL: the pipelines do not work even without a file. */
static uint8_t *real_file(const struct world *w, size_t *size_B_out)
{
    VkPipelineCache cache;
    struct pipelines pipelines;
    uint8_t *file = NULL;
    if (create_cache(w, NULL, 0, &cache) != VK_SUCCESS)
        return NULL;
    create_pipelines(w, cache, &pipelines);
    const bool is_good = !refused && run_pipelines(w, &pipelines) == VK_SUCCESS;
    if (is_good && vk.GetPipelineCacheData(w->device, cache, size_B_out, NULL) == VK_SUCCESS)
        file = malloc(*size_B_out);
    if (file && vk.GetPipelineCacheData(w->device, cache, size_B_out, file) != VK_SUCCESS) {
        free(file);
        file = NULL;
    }
    destroy_pipelines(w, &pipelines);
    vk.DestroyPipelineCache(w->device, cache, NULL);
    return file;
}

/* False: there is no device any more, and none can be made. */
static bool use_file(struct world *w, const uint8_t *file, size_t size_B)
{
    VkPipelineCache cache;
    struct pipelines pipelines;
    VkResult result = create_cache(w, file, size_B, &cache);
    if (result == VK_SUCCESS) {
        create_pipelines(w, cache, &pipelines);
        result = run_pipelines(w, &pipelines);
        destroy_pipelines(w, &pipelines);
        vk.DestroyPipelineCache(w->device, cache, NULL);
    }
    if (result == VK_SUCCESS)
        return true;
    lost++;
    world_destroy(w);
    return world_create(w) == VK_SUCCESS;
}

static bool use_files(struct world *w, const uint8_t *real, size_t size_B, uint64_t first, uint64_t runs)
{
    uint8_t *file = malloc(size_B); /* of the exact size, so that the sanitizer sees a read after the end */
    bool is_good = file != NULL;
    for (uint64_t i = first; i < first + runs && is_good; i++) {
        memcpy(file, real, size_B);
        is_good = forge_cache(file, size_B, i) && use_file(w, file, size_B);
        if (!is_good)
            printf("# file %llu: repeat: forged_caches LIBRARY 1 %llu\n", (unsigned long long)i, (unsigned long long)i);
    }
    free(file);
    return is_good;
}

int main(int argc, char **argv)
{
    struct world world;
    size_t size_B = 0;
    if (argc < 2 || !world_load(argv[1])) {
        fprintf(stderr, "usage: forged_caches LIBRARY [RUNS [FIRST]]\n");
        return 2;
    }
    const uint64_t runs = argc > 2 ? strtoull(argv[2], NULL, 0) : 200,
                   first = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;
    setenv("TUFF_JOB_TIMEOUT_MS", "300", 0); /* some programs never end */
    const VkResult result = world_create(&world);
    if (result != VK_SUCCESS) {
        printf("Bail out! no device: VkResult %d\n", result);
        return 1;
    }
    uint8_t *real = real_file(&world, &size_B);
    const bool is_good = real && use_files(&world, real, size_B, first, runs) && !refused;
    free(real);
    world_destroy(&world);
    printf("%s 1 - %llu forged pipeline caches of %zu bytes: %u pipelines refused, %u ran, %u devices lost\n1..1\n",
           is_good ? "ok" : "not ok", (unsigned long long)runs, size_B, refused, ran, lost);
    return is_good ? 0 : 1;
}
