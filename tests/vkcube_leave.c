/* Preloaded into vkcube by vkcube.py and the tests of windows: the program waits for the X server or the compositor
 * before it closes the connection. Otherwise what it sent last, the last frame, may be lost: a server forgets a client
 * that has closed its end, whether or not it has read all. */
#include <dlfcn.h>
#include <stdlib.h>

/* As in libxcb, whose headers are not needed for this. */
typedef struct xcb_connection_t xcb_connection_t;
typedef struct {
    unsigned int sequence;
} cookie;

void xcb_disconnect(xcb_connection_t *connection);

__attribute__((visibility("default"))) void xcb_disconnect(xcb_connection_t *connection)
{
    cookie (*ask)(xcb_connection_t *) = (cookie(*)(xcb_connection_t *))dlsym(RTLD_NEXT, "xcb_get_input_focus");
    void *(*answer)(xcb_connection_t *, cookie, void **) =
        (void *(*)(xcb_connection_t *, cookie, void **))dlsym(RTLD_NEXT, "xcb_get_input_focus_reply");
    void (*leave)(xcb_connection_t *) = (void (*)(xcb_connection_t *))dlsym(RTLD_NEXT, "xcb_disconnect");
    if (connection && ask && answer)
        free(answer(connection, ask(connection), NULL));
    if (leave)
        leave(connection);
}

/* As in libwayland-client. */
struct wl_display;

void wl_display_disconnect(struct wl_display *display);

__attribute__((visibility("default"))) void wl_display_disconnect(struct wl_display *display)
{
    int (*answer)(struct wl_display *) = (int (*)(struct wl_display *))dlsym(RTLD_NEXT, "wl_display_roundtrip");
    void (*leave)(struct wl_display *) = (void (*)(struct wl_display *))dlsym(RTLD_NEXT, "wl_display_disconnect");
    if (display && answer)
        answer(display);
    if (leave)
        leave(display);
}
