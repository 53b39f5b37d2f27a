/* Images of another driver, chosen at random, and what its processor copies write into them: what the judges of layouts
 * share (tests/<gpu>/layouts). Plain C on the loader. A family says where its layout has a block. */
#ifndef TESTS_LAYOUTS_HOST_IMAGES_H
#define TESTS_LAYOUTS_HOST_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

void need(bool condition, const char *what);
#define CHECK(call) need((call) == VK_SUCCESS, #call)

struct format {
    VkFormat format;
    uint8_t block_B, block_w, block_h;
    bool is_depth, is_two_bytes;
    VkImageAspectFlags aspects;
    bool is_copied; /* by the processor: formats without a swap, of one aspect */
};

struct image {
    const struct format *format;
    VkImageType type;
    VkImageTiling tiling;
    VkExtent3D extent;
    uint32_t levels, layers, samples;
    VkImageUsageFlags usage;
    VkImage handle;
};

extern VkPhysicalDevice physical;
extern VkDevice device;

/* The next image; one that the processor can copy to. Numbers are those of the seed. */
void set_seed(uint64_t number);
uint32_t random_below(uint32_t count);
struct image choose_image(bool is_copied);
VkImageCreateInfo info_of(const struct image *image);
/* Whether the driver has such images. */
bool is_offered(const struct image *image);
void print_image(const struct image *image, const char *what);

void create_device(bool needs_copies);

/* How a family lays an image out. */
struct layout {
    uint64_t size_B;     /* of all memory, as the driver must say */
    uint64_t compared_B; /* how many of these bytes are the image's */
    /* Where the block (x, y) of a level's layer or slice is. */
    uint64_t (*place)(const void *surface, const struct image *image, unsigned level, uint32_t slice, uint32_t x,
                      uint32_t y);
    const void *surface;
};

/* Random texels into all of an image, by the processor: then every byte of its memory must be where the layout puts
 * it. */
bool judge_copy(struct image *image, const struct layout *layout);

/* How many images of each kind were looked at; print_kinds ends with "N differ". */
void count_kind(const char *kind);
void print_kinds(unsigned bad);

#endif
