/* A Wayland compositor for tests: it takes pictures by wl_shm and by linux-dmabuf, reads the latter through a mapping
 * of their rows, as a reader by the processor should, and reports what it was given. It shows nothing: its screen is
 * a clock of 60 Hz. So swapchains that share their images meet a server of which every answer is known, on a machine
 * without a GPU.
 *
 *     server --socket NAME [--picture FILE] [--version 3|4] [--device MAJOR:MINOR] [--modifiers N,N...]
 *            [--refuse] [--no-presentation] [--hold]
 *
 * --picture   the last picture that was on the screen, as a PPM file, when the server ends (SIGTERM)
 * --device    whose memory it says it takes (version 4); SIGUSR1 makes that another one
 * --modifiers what it says it takes; it can read 0 (rows) alone
 * --refuse    say no to every image
 * --hold      give a picture back only when two newer ones have come
 *
 * Lines on stdout: "ready"; "dmabuf WIDTHxHEIGHT MODIFIER" for each image; at the end "shown N by dmabuf, N by shm". */
#include <linux/dma-buf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <drm_fourcc.h>
#include <wayland-server.h>

#include "linux-dmabuf-server.h"
#include "presentation-time-server.h"
#include "xdg-shell-server.h"

enum {
    MAX_MODIFIERS = 16,
    TICK_MS = 16
};

static struct {
    struct wl_display *display;
    struct wl_list surfaces;
    struct wl_list feedbacks;
    const char *picture_path;
    int version;
    dev_t device;
    uint64_t modifiers[MAX_MODIFIERS];
    unsigned modifier_count;
    bool refuse, hold, no_presentation;
    unsigned shown_dmabuf, shown_shm;
    uint8_t *picture; /* RGB */
    int32_t width, height;
} server = {.version = 4, .modifier_count = 1};

static void *allocate_memory(size_t size_B)
{
    void *memory = calloc(1, size_B);
    if (!memory)
        abort();
    return memory;
}

static void destroy_resource(struct wl_client *client, struct wl_resource *resource)
{
    wl_resource_destroy(resource);
}

static struct wl_resource *create_resource(struct wl_client *client, const struct wl_interface *interface,
                                           uint32_t version, uint32_t id, const void *requests, void *data,
                                           wl_resource_destroy_func_t destroy)
{
    struct wl_resource *resource = wl_resource_create(client, interface, (int)version, id);
    if (!resource)
        abort();
    wl_resource_set_implementation(resource, requests, data, destroy);
    return resource;
}

/* ---- buffers by dma-buf ---- */

struct image {
    int fd; /* of the first plane */
    uint32_t offset_B, stride_B, format;
    uint64_t modifier;
    int32_t width, height;
};

static void destroy_image(struct wl_resource *resource)
{
    struct image *image = wl_resource_get_user_data(resource);
    if (image->fd >= 0)
        close(image->fd);
    free(image);
}

static const struct wl_buffer_interface buffer_requests = {destroy_resource};

static void params_add(struct wl_client *client, struct wl_resource *resource, int32_t fd, uint32_t plane,
                       uint32_t offset_B, uint32_t stride_B, uint32_t high, uint32_t low)
{
    struct image *image = wl_resource_get_user_data(resource);
    if (plane != 0) {
        close(fd);
        return;
    }
    image->fd = fd;
    image->offset_B = offset_B;
    image->stride_B = stride_B;
    image->modifier = (uint64_t)high << 32 | low;
}

static bool can_read(const struct image *image)
{
    return !server.refuse && image->fd >= 0 && image->modifier == DRM_FORMAT_MOD_LINEAR &&
           (image->format == DRM_FORMAT_XRGB8888 || image->format == DRM_FORMAT_ARGB8888);
}

static void params_create(struct wl_client *client, struct wl_resource *resource, int32_t width, int32_t height,
                          uint32_t format, uint32_t flags)
{
    struct image *image = wl_resource_get_user_data(resource);
    image->width = width;
    image->height = height;
    image->format = format;
    if (!can_read(image)) {
        zwp_linux_buffer_params_v1_send_failed(resource);
        return;
    }
    printf("dmabuf %dx%d 0x%llx\n", width, height, (unsigned long long)image->modifier);
    fflush(stdout);
    struct image *own = allocate_memory(sizeof(*own));
    *own = *image;
    image->fd = -1;
    struct wl_resource *buffer =
        create_resource(client, &wl_buffer_interface, 1, 0, &buffer_requests, own, destroy_image);
    zwp_linux_buffer_params_v1_send_created(resource, buffer);
}

static void params_create_now(struct wl_client *client, struct wl_resource *resource, uint32_t id, int32_t width,
                              int32_t height, uint32_t format, uint32_t flags)
{
    wl_resource_post_error(resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_WL_BUFFER, "not here");
}

static const struct zwp_linux_buffer_params_v1_interface params_requests = {destroy_resource, params_add, params_create,
                                                                            params_create_now};

static void dmabuf_create_params(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
    struct image *image = allocate_memory(sizeof(*image));
    image->fd = -1;
    create_resource(client, &zwp_linux_buffer_params_v1_interface, (uint32_t)wl_resource_get_version(resource), id,
                    &params_requests, image, destroy_image);
}

/* ---- what is taken ---- */

static const uint32_t formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888};

static void send_feedback(struct wl_resource *resource)
{
    struct {
        uint32_t format, padding;
        uint64_t modifier;
    } table[2 * MAX_MODIFIERS] = {0};
    uint16_t indices[2 * MAX_MODIFIERS];
    unsigned count = 0;
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned j = 0; j < server.modifier_count; j++, count++) {
            table[count].format = formats[i];
            table[count].modifier = server.modifiers[j];
            indices[count] = (uint16_t)count;
        }
    }
    size_t size_B = count * sizeof(table[0]);
    int fd = memfd_create("table", MFD_CLOEXEC);
    if (fd < 0 || write(fd, table, size_B) != (ssize_t)size_B)
        abort();
    struct wl_array device = {sizeof(server.device), 0, &server.device};
    struct wl_array all = {count * sizeof(indices[0]), 0, indices};
    zwp_linux_dmabuf_feedback_v1_send_format_table(resource, fd, (uint32_t)size_B);
    zwp_linux_dmabuf_feedback_v1_send_main_device(resource, &device);
    zwp_linux_dmabuf_feedback_v1_send_tranche_target_device(resource, &device);
    zwp_linux_dmabuf_feedback_v1_send_tranche_flags(resource, 0);
    zwp_linux_dmabuf_feedback_v1_send_tranche_formats(resource, &all);
    zwp_linux_dmabuf_feedback_v1_send_tranche_done(resource);
    zwp_linux_dmabuf_feedback_v1_send_done(resource);
    close(fd);
}

static const struct zwp_linux_dmabuf_feedback_v1_interface feedback_requests = {destroy_resource};

static void forget_feedback(struct wl_resource *resource)
{
    wl_list_remove(wl_resource_get_link(resource));
}

static void dmabuf_default_feedback(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
    struct wl_resource *feedback =
        create_resource(client, &zwp_linux_dmabuf_feedback_v1_interface, (uint32_t)wl_resource_get_version(resource),
                        id, &feedback_requests, NULL, forget_feedback);
    wl_list_insert(&server.feedbacks, wl_resource_get_link(feedback));
    send_feedback(feedback);
}

static void dmabuf_surface_feedback(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                                    struct wl_resource *surface)
{
    dmabuf_default_feedback(client, resource, id);
}

static const struct zwp_linux_dmabuf_v1_interface dmabuf_requests = {destroy_resource, dmabuf_create_params,
                                                                     dmabuf_default_feedback, dmabuf_surface_feedback};

static void bind_dmabuf(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
    struct wl_resource *resource =
        create_resource(client, &zwp_linux_dmabuf_v1_interface, version, id, &dmabuf_requests, NULL, NULL);
    for (unsigned i = 0; i < 2 && version == 3; i++) {
        for (unsigned j = 0; j < server.modifier_count; j++)
            zwp_linux_dmabuf_v1_send_modifier(resource, formats[i], (uint32_t)(server.modifiers[j] >> 32),
                                              (uint32_t)server.modifiers[j]);
    }
}

static int on_another_device(int number, void *data)
{
    struct wl_resource *resource;
    server.device = makedev(major(server.device), minor(server.device) + 1);
    wl_resource_for_each(resource, &server.feedbacks)
    {
        send_feedback(resource);
    }
    return 0;
}

/* ---- surfaces ---- */

struct held {
    struct wl_resource *buffer;
    struct wl_listener gone;
    bool is_due; /* it will be on the screen: a client may take the buffer away before */
};

struct surface {
    struct wl_list link;
    struct wl_resource *xdg;
    struct held attached; /* of the next commit */
    struct held waiting;  /* committed, not on the screen */
    struct held shown, before;
    struct wl_list frames;    /* callbacks of the next commit */
    struct wl_list ready;     /* and of the one that waits */
    struct wl_list feedbacks; /* of presentation-time, in the same way */
    struct wl_list waiting_feedbacks;
};

static void keep_rows(const uint8_t *bytes, int32_t width, int32_t height, size_t stride_B)
{
    server.picture = realloc(server.picture, (size_t)width * (size_t)height * 3);
    if (!server.picture)
        abort();
    server.width = width;
    server.height = height;
    uint8_t *out = server.picture;
    for (int32_t y = 0; y < height; y++) {
        const uint8_t *in = bytes + (size_t)y * stride_B;
        for (int32_t x = 0; x < width; x++, in += 4, out += 3)
            out[0] = in[2], out[1] = in[1], out[2] = in[0];
    }
}

static void read_buffer(struct wl_resource *buffer)
{
    struct wl_shm_buffer *shm = wl_shm_buffer_get(buffer);
    if (shm) {
        wl_shm_buffer_begin_access(shm);
        keep_rows(wl_shm_buffer_get_data(shm), wl_shm_buffer_get_width(shm), wl_shm_buffer_get_height(shm),
                  (size_t)wl_shm_buffer_get_stride(shm));
        wl_shm_buffer_end_access(shm);
        server.shown_shm++;
        return;
    }
    const struct image *image = wl_resource_get_user_data(buffer);
    size_t size_B = image->offset_B + (size_t)image->stride_B * (size_t)image->height;
    uint8_t *bytes = mmap(NULL, size_B, PROT_READ, MAP_SHARED, image->fd, 0);
    if (bytes == MAP_FAILED) {
        perror("mmap");
        return;
    }
    struct dma_buf_sync sync = {.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ};
    if (ioctl(image->fd, DMA_BUF_IOCTL_SYNC, &sync))
        perror("DMA_BUF_IOCTL_SYNC"); /* what is read may not be drawn */
    keep_rows(bytes + image->offset_B, image->width, image->height, image->stride_B);
    sync.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ;
    ioctl(image->fd, DMA_BUF_IOCTL_SYNC, &sync);
    munmap(bytes, size_B);
    server.shown_dmabuf++;
}

static void on_buffer_gone(struct wl_listener *listener, void *data)
{
    struct held *held = wl_container_of(listener, held, gone);
    if (held->is_due)
        read_buffer(held->buffer);
    held->buffer = NULL;
}

static void hold_buffer(struct held *held, struct wl_resource *buffer)
{
    if (held->buffer)
        wl_list_remove(&held->gone.link);
    held->buffer = buffer;
    held->gone.notify = on_buffer_gone;
    if (buffer)
        wl_resource_add_destroy_listener(buffer, &held->gone);
}

static void give_back(struct held *held)
{
    if (held->buffer)
        wl_buffer_send_release(held->buffer);
    hold_buffer(held, NULL);
}

static void end_feedbacks(struct wl_list *list, bool presented)
{
    struct wl_resource *resource, *next;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    wl_resource_for_each_safe(resource, next, list)
    {
        if (presented)
            wp_presentation_feedback_send_presented(resource, (uint32_t)((uint64_t)now.tv_sec >> 32),
                                                    (uint32_t)now.tv_sec, (uint32_t)now.tv_nsec, TICK_MS * 1000000, 0,
                                                    0, 0);
        else
            wp_presentation_feedback_send_discarded(resource);
        wl_resource_destroy(resource);
    }
}

static void show_surface(struct surface *surface)
{
    struct wl_resource *callback, *next;
    if (surface->waiting.buffer) {
        struct wl_resource *buffer = surface->waiting.buffer;
        read_buffer(buffer);
        if (server.hold) {
            give_back(&surface->before);
            hold_buffer(&surface->before, surface->shown.buffer);
            hold_buffer(&surface->shown, NULL);
        } else {
            give_back(&surface->shown);
        }
        hold_buffer(&surface->shown, buffer);
        hold_buffer(&surface->waiting, NULL);
        end_feedbacks(&surface->waiting_feedbacks, true);
    }
    wl_resource_for_each_safe(callback, next, &surface->ready)
    {
        wl_callback_send_done(callback, 0);
        wl_resource_destroy(callback);
    }
}

static void surface_attach(struct wl_client *client, struct wl_resource *resource, struct wl_resource *buffer,
                           int32_t x, int32_t y)
{
    struct surface *surface = wl_resource_get_user_data(resource);
    hold_buffer(&surface->attached, buffer);
}

static void surface_commit(struct wl_client *client, struct wl_resource *resource)
{
    struct surface *surface = wl_resource_get_user_data(resource);
    if (surface->attached.buffer) {
        if (surface->waiting.buffer != surface->attached.buffer)
            give_back(&surface->waiting);
        end_feedbacks(&surface->waiting_feedbacks, false);
        hold_buffer(&surface->waiting, surface->attached.buffer);
        hold_buffer(&surface->attached, NULL);
    }
    wl_list_insert_list(surface->ready.prev, &surface->frames);
    wl_list_init(&surface->frames);
    wl_list_insert_list(&surface->waiting_feedbacks, &surface->feedbacks);
    wl_list_init(&surface->feedbacks);
}

static void unlink_resource(struct wl_resource *resource)
{
    wl_list_remove(wl_resource_get_link(resource));
}

static void surface_frame(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
    struct surface *surface = wl_resource_get_user_data(resource);
    struct wl_resource *callback = create_resource(client, &wl_callback_interface, 1, id, NULL, NULL, unlink_resource);
    wl_list_insert(surface->frames.prev, wl_resource_get_link(callback));
}

static void take_rectangle(struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y, int32_t width,
                           int32_t height)
{
}

static void take_resource(struct wl_client *client, struct wl_resource *resource, struct wl_resource *other)
{
}

static void take_number(struct wl_client *client, struct wl_resource *resource, int32_t number)
{
}

static void take_pair(struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y)
{
}

static const struct wl_surface_interface surface_requests = {
    .destroy = destroy_resource,
    .attach = surface_attach,
    .damage = take_rectangle,
    .frame = surface_frame,
    .set_opaque_region = take_resource,
    .set_input_region = take_resource,
    .commit = surface_commit,
    .set_buffer_transform = take_number,
    .set_buffer_scale = take_number,
    .damage_buffer = take_rectangle,
    .offset = take_pair,
};

static void empty(struct wl_list *list)
{
    struct wl_resource *resource, *next;
    wl_resource_for_each_safe(resource, next, list)
    {
        wl_resource_destroy(resource);
    }
}

static void destroy_surface(struct wl_resource *resource)
{
    struct surface *surface = wl_resource_get_user_data(resource);
    show_surface(surface); /* what was committed is on the screen before the window goes */
    struct held *all[] = {&surface->attached, &surface->waiting, &surface->shown, &surface->before};
    for (unsigned i = 0; i < 4; i++)
        hold_buffer(all[i], NULL);
    empty(&surface->frames);
    empty(&surface->ready);
    empty(&surface->feedbacks);
    empty(&surface->waiting_feedbacks);
    wl_list_remove(&surface->link);
    free(surface);
}

static void create_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
    struct surface *surface = allocate_memory(sizeof(*surface));
    surface->waiting.is_due = true;
    wl_list_init(&surface->frames);
    wl_list_init(&surface->ready);
    wl_list_init(&surface->feedbacks);
    wl_list_init(&surface->waiting_feedbacks);
    wl_list_insert(&server.surfaces, &surface->link);
    create_resource(client, &wl_surface_interface, (uint32_t)wl_resource_get_version(resource), id, &surface_requests,
                    surface, destroy_surface);
}

static const struct wl_region_interface region_requests = {destroy_resource, take_rectangle, take_rectangle};

static void create_region(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
    create_resource(client, &wl_region_interface, 1, id, &region_requests, NULL, NULL);
}

static const struct wl_compositor_interface compositor_requests = {create_surface, create_region};

static void bind_compositor(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
    create_resource(client, &wl_compositor_interface, version, id, &compositor_requests, NULL, NULL);
}

/* ---- presentation-time ---- */

static void presentation_feedback(struct wl_client *client, struct wl_resource *resource,
                                  struct wl_resource *surface_resource, uint32_t id)
{
    struct surface *surface = wl_resource_get_user_data(surface_resource);
    struct wl_resource *feedback =
        create_resource(client, &wp_presentation_feedback_interface, 1, id, NULL, NULL, unlink_resource);
    wl_list_insert(&surface->feedbacks, wl_resource_get_link(feedback));
}

static const struct wp_presentation_interface presentation_requests = {destroy_resource, presentation_feedback};

static void bind_presentation(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
    struct wl_resource *resource =
        create_resource(client, &wp_presentation_interface, version, id, &presentation_requests, NULL, NULL);
    wp_presentation_send_clock_id(resource, CLOCK_MONOTONIC);
}

/* ---- windows ---- */

static void take_text(struct wl_client *client, struct wl_resource *resource, const char *text)
{
}

static void take_nothing(struct wl_client *client, struct wl_resource *resource)
{
}

static void take_serial(struct wl_client *client, struct wl_resource *resource, uint32_t serial)
{
}

static const struct xdg_toplevel_interface toplevel_requests = {
    .destroy = destroy_resource,
    .set_parent = take_resource,
    .set_title = take_text,
    .set_app_id = take_text,
    .set_max_size = take_pair,
    .set_min_size = take_pair,
    .set_maximized = take_nothing,
    .unset_maximized = take_nothing,
    .set_fullscreen = take_resource,
    .unset_fullscreen = take_nothing,
    .set_minimized = take_nothing,
};

static void get_toplevel(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
    struct wl_resource *toplevel =
        create_resource(client, &xdg_toplevel_interface, (uint32_t)wl_resource_get_version(resource), id,
                        &toplevel_requests, NULL, NULL);
    struct wl_array states;
    wl_array_init(&states);
    xdg_toplevel_send_configure(toplevel, 0, 0, &states);
    xdg_surface_send_configure(resource, wl_display_next_serial(server.display));
}

static const struct xdg_surface_interface xdg_surface_requests = {
    .destroy = destroy_resource,
    .get_toplevel = get_toplevel,
    .set_window_geometry = take_rectangle,
    .ack_configure = take_serial,
};

static void get_xdg_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                            struct wl_resource *surface)
{
    create_resource(client, &xdg_surface_interface, (uint32_t)wl_resource_get_version(resource), id,
                    &xdg_surface_requests, NULL, NULL);
}

static const struct xdg_wm_base_interface shell_requests = {
    .destroy = destroy_resource, .get_xdg_surface = get_xdg_surface, .pong = take_serial};

static void bind_shell(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
    create_resource(client, &xdg_wm_base_interface, version, id, &shell_requests, NULL, NULL);
}

/* ---- the program ---- */

static struct wl_event_source *tick;

static int on_tick(void *data)
{
    struct surface *surface;
    wl_list_for_each(surface, &server.surfaces, link)
    {
        show_surface(surface);
    }
    wl_event_source_timer_update(tick, TICK_MS);
    return 0;
}

static int on_end(int number, void *data)
{
    wl_display_terminate(server.display);
    return 0;
}

static void write_picture(void)
{
    FILE *file = server.picture_path && server.picture ? fopen(server.picture_path, "wb") : NULL;
    if (!file)
        return;
    fprintf(file, "P6 %d %d 255\n", server.width, server.height);
    fwrite(server.picture, 3, (size_t)server.width * (size_t)server.height, file);
    fclose(file);
}

static void read_modifiers(char *text)
{
    server.modifier_count = 0;
    for (char *word = strtok(text, ","); word && server.modifier_count < MAX_MODIFIERS; word = strtok(NULL, ","))
        server.modifiers[server.modifier_count++] = strtoull(word, NULL, 0);
}

static const char *read_arguments(int argc, char **argv)
{
    const char *socket = NULL;
    unsigned numbers[2] = {226, 128};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (strcmp(name, "--refuse") == 0)
            server.refuse = true;
        else if (strcmp(name, "--hold") == 0)
            server.hold = true;
        else if (strcmp(name, "--no-presentation") == 0)
            server.no_presentation = true;
        else if (i + 1 == argc)
            return NULL;
        else if (strcmp(name, "--socket") == 0)
            socket = argv[++i];
        else if (strcmp(name, "--picture") == 0)
            server.picture_path = argv[++i];
        else if (strcmp(name, "--version") == 0)
            server.version = atoi(argv[++i]);
        else if (strcmp(name, "--modifiers") == 0)
            read_modifiers(argv[++i]);
        else if (strcmp(name, "--device") != 0 || sscanf(argv[++i], "%u:%u", &numbers[0], &numbers[1]) != 2)
            return NULL;
    }
    server.device = makedev(numbers[0], numbers[1]);
    return socket;
}

int main(int argc, char **argv)
{
    const char *socket = read_arguments(argc, argv);
    server.display = socket ? wl_display_create() : NULL;
    if (!server.display || wl_display_add_socket(server.display, socket) != 0 ||
        wl_display_init_shm(server.display) != 0) {
        fprintf(stderr, "server: no socket\n");
        return 2;
    }
    wl_list_init(&server.surfaces);
    wl_list_init(&server.feedbacks);
    wl_global_create(server.display, &wl_compositor_interface, 4, NULL, bind_compositor);
    wl_global_create(server.display, &xdg_wm_base_interface, 1, NULL, bind_shell);
    wl_global_create(server.display, &zwp_linux_dmabuf_v1_interface, server.version, NULL, bind_dmabuf);
    if (!server.no_presentation)
        wl_global_create(server.display, &wp_presentation_interface, 1, NULL, bind_presentation);
    struct wl_event_loop *loop = wl_display_get_event_loop(server.display);
    tick = wl_event_loop_add_timer(loop, on_tick, NULL);
    wl_event_source_timer_update(tick, TICK_MS);
    wl_event_loop_add_signal(loop, SIGTERM, on_end, NULL);
    wl_event_loop_add_signal(loop, SIGUSR1, on_another_device, NULL);
    printf("ready\n");
    fflush(stdout);
    wl_display_run(server.display);
    wl_display_destroy_clients(server.display);
    write_picture();
    printf("shown %u by dmabuf, %u by shm\n", server.shown_dmabuf, server.shown_shm);
    wl_display_destroy(server.display);
    free(server.picture);
    return 0;
}
