/* Layouts of images as another driver has them, beside ours (src/adreno/hw/tiling). Plain C on the loader; layouts.py
 * starts it on Turnip.
 *
 *     layouts CHIP copies | numbers SEED COUNT
 *
 * copies: the processor writes random texels into tiled and linear images (VK_EXT_host_image_copy), of all levels,
 * layers and slices; then every byte of the image's memory must be where our layout puts it.
 *
 * numbers: of any image, with UBWC, samples and depth. The driver prints its layout of each image to the standard error
 * (TU_DEBUG=layout), which is read back here: offsets, pitches, sizes and flags of every level. Which tiling an image
 * has is the driver's choice, and taken from there.
 *
 * Prints a line for each image that differs, then how many were looked at, by kind. Ends with 0 when none differs. */
#include "host_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adreno/hw/tiling/lrz.h"
#include "adreno/hw/tiling/surface.h"
#include "adreno/hw/tiling/tile.h"
#include "util/bits.h"

static const struct adreno_chip *chip;

static struct adreno_surface_info surface_of(const struct image *image, bool is_tiled, bool has_ubwc)
{
    return (struct adreno_surface_info){
        .width = image->extent.width,
        .height = image->extent.height,
        .depth = image->extent.depth,
        .levels = image->levels,
        .layers = image->layers,
        .samples = image->samples,
        .block_B = image->format->block_B,
        .block_w = image->format->block_w,
        .block_h = image->format->block_h,
        .is_volume = image->type == VK_IMAGE_TYPE_3D,
        .is_depth = image->format->is_depth,
        .is_two_bytes = image->format->is_two_bytes && image->samples == 1,
        .is_tiled = is_tiled,
        .has_ubwc = has_ubwc,
    };
}

/* All of an image's memory: the layout and, of depth, low-resolution depth after it. */
static uint64_t size_of(const struct image *image, const struct adreno_surface *surface)
{
    uint64_t size_B = surface->size_B;
    if (image->format->aspects & VK_IMAGE_ASPECT_DEPTH_BIT)
        size_B +=
            adreno_lrz_init(chip, image->extent.width, image->extent.height, image->samples, image->layers).size_B;
    return size_B;
}

/* ---- copies ---- */

static uint64_t place_of_element(const void *data, const struct image *image, unsigned level, uint32_t slice,
                                 uint32_t x, uint32_t y)
{
    const struct adreno_surface *surface = data;
    const struct adreno_surface_level *at = &surface->levels[level];
    const uint32_t block_B = image->format->block_B;
    uint64_t base_B = at->offset_B + slice * (image->type == VK_IMAGE_TYPE_3D ? at->slice_B : surface->layer_B);
    if (!at->is_tiled)
        return base_B + (uint64_t)y * at->pitch_B + (uint64_t)x * block_B;
    struct adreno_tile tile = adreno_tile_init(chip, block_B, at->pitch_B);
    return base_B + adreno_tile_offset_B(&tile, x, y);
}

/* Low-resolution depth, whose direction a copy closes, is not looked at. */
static bool judge_copies(struct image *image, const char **kind_out)
{
    struct adreno_surface surface;
    const bool is_tiled = image->tiling == VK_IMAGE_TILING_OPTIMAL && !image->format->is_two_bytes;
    const struct adreno_surface_info info = surface_of(image, is_tiled, false);
    need(adreno_surface_init(&surface, chip, &info), "an image that we have no layout for");
    *kind_out = surface.levels[0].is_tiled ? image->format->block_w > 1 ? "tiled blocks" : "tiled" : "linear";
    return judge_copy(image, &(struct layout){size_of(image, &surface), surface.size_B, place_of_element, &surface});
}

/* ---- numbers ---- */

static int kept_error, report; /* the standard error, and what stands in its place */

static void keep_error(void)
{
    char name[] = "/tmp/layouts-XXXXXX";
    kept_error = dup(2);
    report = mkstemp(name);
    need(kept_error >= 0 && report >= 0, "no file for the driver's report");
    unlink(name);
}

static void create_with_report(struct image *image, char *text, size_t size)
{
    const VkImageCreateInfo info = info_of(image);
    fflush(stderr);
    need(ftruncate(report, 0) == 0 && lseek(report, 0, SEEK_SET) == 0 && dup2(report, 2) == 2, "the report");
    const VkResult result = vkCreateImage(device, &info, NULL, &image->handle);
    fflush(stderr);
    need(dup2(kept_error, 2) == 2 && result == VK_SUCCESS, "vkCreateImage");
    const ssize_t length = pread(report, text, size - 1, 0);
    need(length > 0, "the driver prints no layout: TU_DEBUG=layout");
    text[length] = 0;
}

/* A line of the report. */
struct row {
    unsigned level, pitch_B, size_B, flag_size_B, offset_B, flag_offset_B;
    unsigned long long layer_B, flag_layer_B;
    char mode[16];
};

static unsigned read_rows(const char *text, struct row rows[ADRENO_MAX_LEVELS])
{
    unsigned count = 0;
    for (const char *line = text; line && *line && count < ADRENO_MAX_LEVELS; count++) {
        struct row *row = &rows[count];
        const char *numbers = strchr(line, '\t');
        unsigned height;
        need(numbers && sscanf(numbers,
                               "%u: stride=%u, size=%u,%u, aligned_height=%u, offset=0x%x,0x%x, layersz %llu,%llu %15s",
                               &row->level, &row->pitch_B, &row->size_B, &row->flag_size_B, &height, &row->offset_B,
                               &row->flag_offset_B, &row->layer_B, &row->flag_layer_B, row->mode) == 10,
             "a report that cannot be read");
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return count;
}

static bool same_level(const struct adreno_surface *surface, const struct row *row)
{
    const struct adreno_surface_level *level = &surface->levels[row->level];
    const bool has_flags = !strcmp(row->mode, "UBWC");
    return level->pitch_B == row->pitch_B && level->slice_B == row->size_B && level->offset_B == row->offset_B &&
           level->is_tiled == (strcmp(row->mode, "linear") != 0) &&
           (!has_flags || (level->flag_slice_B == row->flag_size_B && level->flag_offset_B == row->flag_offset_B &&
                           surface->flag_layer_B == row->flag_layer_B));
}

static bool judge_numbers(struct image *image, const char *text, const char **kind_out)
{
    struct row rows[ADRENO_MAX_LEVELS] = {{0}};
    struct adreno_surface surface;
    const unsigned count = read_rows(text, rows);
    const bool is_tiled = strcmp(rows[0].mode, "linear") != 0, has_ubwc = !strcmp(rows[0].mode, "UBWC");
    const struct adreno_surface_info info = surface_of(image, is_tiled, has_ubwc);
    *kind_out = image->samples > 1 ? has_ubwc ? "UBWC with samples" : "samples"
                : has_ubwc         ? "UBWC"
                : is_tiled         ? "tiled"
                                   : "linear";
    if (!adreno_surface_init(&surface, chip, &info) || count != surface.level_count) {
        print_image(image, text);
        return false;
    }
    bool is_same = image->type == VK_IMAGE_TYPE_3D || surface.layer_B == rows[0].layer_B;
    for (unsigned i = 0; i < count; i++)
        is_same &= same_level(&surface, &rows[i]);
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, image->handle, &needs);
    is_same &= needs.size == size_of(image, &surface) && needs.alignment == surface.base_align_B;
    if (!is_same)
        print_image(image, text);
    return is_same;
}

/* ---- all of it ---- */

int main(int argc, char **argv)
{
    static char text[16384];
    need(argc == 5, "layouts CHIP copies | numbers SEED COUNT");
    const bool is_copied = !strcmp(argv[2], "copies");
    const unsigned total = (unsigned)strtoul(argv[4], NULL, 0);
    unsigned bad = 0;
    chip = adreno_chip_find(argv[1]);
    need(chip, "no such chip");
    set_seed(strtoull(argv[3], NULL, 0));
    create_device(is_copied);
    keep_error();
    for (unsigned i = 0; i < total;) {
        struct image image = choose_image(is_copied);
        const char *kind;
        if (!is_offered(&image))
            continue;
        if (is_copied) {
            const VkImageCreateInfo info = info_of(&image);
            CHECK(vkCreateImage(device, &info, NULL, &image.handle));
        } else {
            create_with_report(&image, text, sizeof(text));
        }
        bad += !(is_copied ? judge_copies(&image, &kind) : judge_numbers(&image, text, &kind));
        vkDestroyImage(device, image.handle, NULL);
        count_kind(kind);
        i++;
    }
    print_kinds(bad);
    return bad ? 1 : 0;
}
