/* Address spaces: the list of mappings, their pages, and pages that stay mapped until jobs have ended. */
#include "model/drm/drm_vm.h"

#include <errno.h>
#include <stdlib.h>

#include "model/drm/drm_device.h"
#include "model/drm/drm_fence.h"
#include "model/drm/drm_gem.h"
#include "util/bits.h"
#include "util/slab.h"
#include "util/strbuf.h"

int drm_vm_create(struct drm_device *device, const struct gpu_extent *extents, unsigned count, struct drm_vm **vm_out)
{
    struct drm_vm *vm = calloc(1, device->driver->vm_B);
    if (!vm)
        return -ENOMEM;
    int error = gpu_space_init(&vm->space, extents, count);
    if (error) {
        free(vm);
        return error;
    }
    atomic_init(&vm->refs, 1);
    vm->device = device;
    pthread_mutex_init(&vm->lock, NULL);
    ordered_init(&vm->mappings, sizeof(struct drm_mapping));
    list_init(&vm->exclusive_gems);
    pthread_mutex_lock(&device->lock);
    list_push_back(&device->vms, &vm->node);
    pthread_mutex_unlock(&device->lock);
    *vm_out = vm;
    return 0;
}

struct drm_vm *drm_vm_ref(struct drm_vm *vm)
{
    atomic_fetch_add_explicit(&vm->refs, 1, memory_order_relaxed);
    return vm;
}

/* ---- where a buffer is mapped, needed when its bytes move; device lock held ---- */

static void forget_place(struct drm_gem *gem, const struct drm_vm *vm, uint64_t va, uint64_t size_B)
{
    for (uint32_t i = 0; i < gem->places.count; i++) {
        const struct drm_place *place = &gem->places.data[i];
        if (place->vm == vm && place->va == va && place->size_B == size_B) {
            array_remove_swap(&gem->places, i);
            return;
        }
    }
}

static unsigned mapping_perms(const struct drm_mapping *mapping)
{
    bool is_read_only = mapping->gem && mapping->gem->is_user_read_only;
    return mapping->perms & ~(is_read_only ? GPU_PERM_WRITE : 0u);
}

static bool vm_is_busy(const struct drm_vm *vm)
{
    return atomic_load(&vm->jobs) != 0;
}

static int install_gem(struct drm_vm *vm, const struct drm_mapping *mapping, unsigned perms)
{
    struct drm_gem *gem = mapping->gem;
    if (!drm_gem_has_bytes(gem)) /* it may be mapped; an access finds nothing there */
        return gpu_space_unmap(&vm->space, mapping->va, mapping->size_B, vm_is_busy(vm));
    if (gem->user_memory)
        return gpu_space_map_user(&vm->space, mapping->va, mapping->size_B,
                                  (char *)gem->user_memory + mapping->offset_B, perms);
    return gpu_space_map_file(&vm->space, mapping->va, mapping->size_B, gem->fd, gem->offset_B + mapping->offset_B,
                              perms);
}

/* Does the space show bytes of the buffer at another address already? */
static void note_alias(struct drm_vm *vm, const struct drm_mapping *mapping)
{
    if (gpu_space_has_aliases(&vm->space))
        return;
    array_foreach (&mapping->gem->places, place) {
        if (place->vm == vm && place->offset_B < mapping->offset_B + mapping->size_B &&
            mapping->offset_B < place->offset_B + place->size_B &&
            place->va - place->offset_B != mapping->va - mapping->offset_B)
            gpu_space_note_alias(&vm->space);
    }
}

/* Make the pages of a mapping what it says. */
static int install_pages(struct drm_vm *vm, const struct drm_mapping *mapping)
{
    struct drm_gem *gem = mapping->gem;
    if (!gem)
        return gpu_space_map_resident(&vm->space, mapping->va, mapping->size_B);
    unsigned perms = mapping_perms(mapping);
    struct drm_place place = {vm, mapping->va, mapping->size_B, mapping->offset_B, perms};
    pthread_mutex_lock(&vm->device->lock);
    note_alias(vm, mapping);
    int error = slab_array_push(&gem->places, place) ? 0 : -ENOMEM;
    if (!error) {
        error = install_gem(vm, mapping, perms);
        if (error)
            gem->places.count--;
    }
    pthread_mutex_unlock(&vm->device->lock);
    return error;
}

static void forget_mapping_place(struct drm_vm *vm, const struct drm_mapping *mapping)
{
    if (!mapping->gem)
        return;
    pthread_mutex_lock(&vm->device->lock);
    forget_place(mapping->gem, vm, mapping->va, mapping->size_B);
    pthread_mutex_unlock(&vm->device->lock);
}

static void remember_mapping_place(struct drm_vm *vm, const struct drm_mapping *mapping)
{
    if (!mapping->gem)
        return;
    struct drm_place place = {vm, mapping->va, mapping->size_B, mapping->offset_B, mapping_perms(mapping)};
    pthread_mutex_lock(&vm->device->lock);
    slab_array_push(&mapping->gem->places, place); /* room was reserved by the caller that cuts mappings */
    pthread_mutex_unlock(&vm->device->lock);
}

/* ---- the list of mappings; vm->lock held ---- */

static uint64_t last_of(const struct drm_mapping *mapping)
{
    return mapping->va + (mapping->size_B - 1);
}

/* The first mapping that ends after `va`; NULL: none. */
static struct drm_mapping *find_mapping(const struct drm_vm *vm, uint64_t va)
{
    struct drm_mapping *mapping = ordered_before(&vm->mappings, va);
    return mapping && last_of(mapping) >= va ? mapping : ordered_after(&vm->mappings, va);
}

/* The next one that has a part in a range after this one. */
static struct drm_mapping *next_mapping(const struct drm_vm *vm, const struct drm_mapping *mapping, uint64_t range_last)
{
    struct drm_mapping *next =
        last_of(mapping) >= range_last ? NULL : ordered_after(&vm->mappings, last_of(mapping) + 1);
    return next && next->va <= range_last ? next : NULL;
}

/* The first one that has a part in a range. */
static struct drm_mapping *first_mapping(const struct drm_vm *vm, uint64_t va, uint64_t size_B)
{
    struct drm_mapping *mapping = find_mapping(vm, va);
    return mapping && mapping->va <= va + (size_B - 1) ? mapping : NULL;
}

/* There is room. */
static void insert_mapping(struct drm_vm *vm, struct drm_mapping mapping)
{
    *(struct drm_mapping *)ordered_insert(&vm->mappings, mapping.va) = mapping;
}

static int map_new(struct drm_vm *vm, struct drm_mapping mapping)
{
    if (first_mapping(vm, mapping.va, mapping.size_B))
        return -EINVAL;
    if (!ordered_reserve(&vm->mappings, 1))
        return -ENOMEM;
    int error = install_pages(vm, &mapping);
    if (error)
        return error;
    if (mapping.gem)
        drm_gem_ref(mapping.gem);
    insert_mapping(vm, mapping);
    return 0;
}

/* Take [va, va + size_B) out of a mapping; what stays below and above goes on. Two cut pieces need room for one more.
 * The buffer's reference goes to *dropped_out when nothing is left of it. */
static void cut_mapping(struct drm_vm *vm, struct drm_mapping old, uint64_t va, uint64_t size_B,
                        struct drm_gem **dropped_out)
{
    uint64_t old_last = last_of(&old), last = va + (size_B - 1);
    forget_mapping_place(vm, &old);
    ordered_remove(&vm->mappings, old.va);
    *dropped_out = old.gem;
    if (old.va < va) {
        struct drm_mapping below = old;
        below.size_B = va - old.va;
        insert_mapping(vm, below);
        remember_mapping_place(vm, &below);
        *dropped_out = NULL;
    }
    if (old_last > last) {
        struct drm_mapping above = old;
        above.va = last + 1;
        above.size_B = old_last - last;
        above.offset_B = old.gem ? old.offset_B + (above.va - old.va) : 0;
        if (old.gem && !*dropped_out)
            drm_gem_ref(old.gem);
        insert_mapping(vm, above);
        remember_mapping_place(vm, &above);
        *dropped_out = NULL;
    }
}

struct gem_array {
    struct drm_gem **data;
    uint32_t count;
    uint32_t capacity;
};

/* All the memory that clear_list and a mapping in its place will need. */
static int reserve_for_cut(struct drm_vm *vm, uint64_t va, uint64_t size_B, struct gem_array *dropped)
{
    uint32_t touched = 0;
    bool enough = ordered_reserve(&vm->mappings, 3);
    pthread_mutex_lock(&vm->device->lock);
    for (struct drm_mapping *mapping = first_mapping(vm, va, size_B); mapping;
         mapping = next_mapping(vm, mapping, va + (size_B - 1))) {
        struct drm_gem *gem = mapping->gem;
        enough = enough && (!gem || slab_array_reserve(&gem->places, gem->places.count + 2));
        touched++;
    }
    pthread_mutex_unlock(&vm->device->lock);
    return enough && array_reserve(dropped, dropped->count + touched) ? 0 : -ENOMEM;
}

/* Cut the range out of every mapping; the pages are the caller's to replace. References to drop go to `dropped`. The
 * memory was reserved. */
static void clear_list(struct drm_vm *vm, uint64_t va, uint64_t size_B, struct gem_array *dropped)
{
    const struct drm_mapping *mapping;
    while ((mapping = first_mapping(vm, va, size_B))) {
        uint64_t first = MAX2(va, mapping->va), last = MIN2(va + (size_B - 1), last_of(mapping));
        struct drm_gem *gem;
        cut_mapping(vm, *mapping, first, last - first + 1, &gem);
        if (gem)
            dropped->data[dropped->count++] = gem;
    }
}

static void drop_references(struct gem_array *dropped)
{
    array_foreach (dropped, gem)
        drm_gem_unref(*gem);
    array_finish(dropped);
}

/* ---- pages that stay for a while; vm->lock held ---- */

/* A fence for all jobs of the space; NULL when none is left, or without memory. */
static struct drm_fence *jobs_before(struct drm_vm *vm)
{
    ARRAY(struct drm_fence *) pending = {0};
    struct drm_fence *all = NULL;
    pthread_mutex_lock(&vm->device->lock);
    array_foreach (&vm->fences, use) {
        if (!drm_fence_is_signaled(use->fence) && array_push(&pending, use->fence))
            drm_fence_ref(use->fence);
    }
    pthread_mutex_unlock(&vm->device->lock);
    if (pending.count)
        all = drm_fence_all(pending.data, pending.count);
    array_foreach (&pending, fence)
        drm_fence_unref(*fence);
    array_finish(&pending);
    return all;
}

/* Whose pages are ours to keep: a program's own memory may be gone when the call returns. */
static bool may_stay(const struct drm_vm *vm, uint64_t va, uint64_t size_B)
{
    for (const struct drm_mapping *mapping = first_mapping(vm, va, size_B); mapping;
         mapping = next_mapping(vm, mapping, va + (size_B - 1))) {
        if (mapping->gem && mapping->gem->user_memory)
            return false;
    }
    return true;
}

/* The range leaves the list now and the space when `after` is signaled. Takes the reference. The memory was reserved.
 */
static int leave_later(struct drm_vm *vm, uint64_t va, uint64_t size_B, struct drm_fence *after,
                       struct gem_array *dropped)
{
    uint32_t first = dropped->count;
    if (!array_reserve(&vm->leaving, vm->leaving.count + 1 + (dropped->capacity - first))) {
        drm_fence_unref(after);
        return -ENOMEM;
    }
    clear_list(vm, va, size_B, dropped);
    vm->leaving.data[vm->leaving.count++] = (struct drm_leaving){va, size_B, after, NULL};
    for (uint32_t i = first; i < dropped->count; i++) /* the buffers with it: their bytes must not become another's */
        vm->leaving.data[vm->leaving.count++] = (struct drm_leaving){0, 0, drm_fence_ref(after), dropped->data[i]};
    dropped->count = first;
    return 0;
}

/* Let go of what no job needs any more. What left later waits for all that was pending then, so that the first that is
 * not done stands for the rest. */
static void reap_mappings(struct drm_vm *vm, struct gem_array *dropped)
{
    uint32_t done = 0;
    for (; done < vm->leaving.count; done++) {
        struct drm_leaving leaving = vm->leaving.data[done];
        if (!drm_fence_is_signaled(leaving.after) || (leaving.gem && !array_reserve(dropped, dropped->count + 1)) ||
            (leaving.size_B && gpu_space_unmap(&vm->space, leaving.va, leaving.size_B, vm_is_busy(vm))))
            break;
        if (leaving.gem)
            dropped->data[dropped->count++] = leaving.gem;
        drm_fence_unref(leaving.after);
    }
    if (!done)
        return;
    vm->leaving.count -= done;
    memmove(vm->leaving.data, vm->leaving.data + done, vm->leaving.count * sizeof(vm->leaving.data[0]));
}

/* Before new pages take the place of old ones that are in use: wait for their jobs. Called without the lock, which is
 * held on return. */
static void lock_for(struct drm_vm *vm, uint64_t va, uint64_t size_B, struct gem_array *dropped)
{
    for (;;) {
        struct drm_fence *after = NULL;
        pthread_mutex_lock(&vm->lock);
        reap_mappings(vm, dropped);
        array_foreach (&vm->leaving, leaving) {
            if (size_B && leaving->size_B && leaving->va <= va + (size_B - 1) &&
                va <= leaving->va + (leaving->size_B - 1))
                after = leaving->after;
        }
        if (!after)
            return;
        drm_fence_ref(after);
        pthread_mutex_unlock(&vm->lock);
        drm_fence_wait(after, INT64_MAX);
        drm_fence_unref(after);
    }
}

static int clear_range(struct drm_vm *vm, uint64_t va, uint64_t size_B, struct gem_array *dropped)
{
    int error = reserve_for_cut(vm, va, size_B, dropped);
    if (error)
        return error;
    struct drm_fence *after = may_stay(vm, va, size_B) ? jobs_before(vm) : NULL;
    if (after)
        return leave_later(vm, va, size_B, after, dropped);
    /* Only what is mapped is touched: a range may be all of the space. */
    const struct drm_mapping *mapping;
    while (!error && (mapping = first_mapping(vm, va, size_B))) {
        uint64_t first = MAX2(va, mapping->va), last = MIN2(va + (size_B - 1), last_of(mapping));
        error = gpu_space_unmap(&vm->space, first, last - first + 1, vm_is_busy(vm));
        if (!error)
            clear_list(vm, first, last - first + 1, dropped);
    }
    return error;
}

static int replace_mapping(struct drm_vm *vm, struct drm_mapping mapping, struct gem_array *dropped)
{
    /* The new pages go over the old ones at once, and only if that worked does the list change. */
    int error = reserve_for_cut(vm, mapping.va, mapping.size_B, dropped);
    if (!error)
        error = install_pages(vm, &mapping);
    if (error)
        return error;
    if (mapping.gem) {
        drm_gem_ref(mapping.gem);
        forget_mapping_place(vm, &mapping); /* or cutting an equal old mapping might forget the new one's */
    }
    clear_list(vm, mapping.va, mapping.size_B, dropped);
    remember_mapping_place(vm, &mapping);
    insert_mapping(vm, mapping);
    return 0;
}

/* The mapping of this buffer (NULL: partially resident) that starts at `va`, whole. */
static int unmap_buffer(struct drm_vm *vm, const struct drm_gem *gem, uint64_t va, struct gem_array *dropped)
{
    const struct drm_mapping *mapping = find_mapping(vm, va);
    if (!mapping || mapping->va != va || mapping->gem != gem)
        return -ENOENT;
    return clear_range(vm, va, mapping->size_B, dropped);
}

void drm_vm_settle(struct drm_vm *vm)
{
    struct gem_array dropped = {0};
    pthread_mutex_lock(&vm->lock);
    reap_mappings(vm, &dropped);
    pthread_mutex_unlock(&vm->lock);
    drop_references(&dropped);
}

static bool find_place(struct drm_vm *vm, struct drm_gem *gem, struct drm_place *place_out)
{
    bool is_found = false;
    pthread_mutex_lock(&vm->device->lock);
    array_foreach (&gem->places, place) {
        if (place->vm == vm) {
            *place_out = *place;
            is_found = true;
        }
    }
    pthread_mutex_unlock(&vm->device->lock);
    return is_found;
}

void drm_vm_forget_gem(struct drm_vm *vm, struct drm_gem *gem)
{
    struct gem_array dropped = {0};
    struct drm_place place;
    pthread_mutex_lock(&vm->lock);
    reap_mappings(vm, &dropped);
    while (find_place(vm, gem, &place) && !clear_range(vm, place.va, place.size_B, &dropped))
        ;
    pthread_mutex_unlock(&vm->lock);
    drop_references(&dropped);
}

void drm_vm_unref(struct drm_vm *vm)
{
    if (!vm || atomic_fetch_sub_explicit(&vm->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (vm->device->driver->vm_finish)
        vm->device->driver->vm_finish(vm);
    ordered_foreach(&vm->mappings, struct drm_mapping, mapping)
    {
        forget_mapping_place(vm, mapping);
        drm_gem_unref(mapping->gem);
    }
    ordered_finish(&vm->mappings);
    array_foreach (&vm->leaving, leaving) {
        drm_fence_unref(leaving->after);
        drm_gem_unref(leaving->gem);
    }
    array_finish(&vm->leaving);
    pthread_mutex_lock(&vm->device->lock);
    list_remove(&vm->node);
    list_foreach (&vm->exclusive_gems, struct drm_gem, gem, exclusive_node) {
        gem->exclusive_vm = NULL;
        list_remove(&gem->exclusive_node);
    }
    pthread_mutex_unlock(&vm->device->lock);
    drm_fence_uses_finish(&vm->fences);
    gpu_space_finish(&vm->space);
    pthread_mutex_destroy(&vm->lock);
    free(vm);
}

/* ---- what families ask for ---- */

static bool is_inside_gem(const struct drm_mapping *mapping)
{
    uint64_t end_B;
    return !mapping->gem || !drm_gem_has_bytes(mapping->gem) ||
           (!__builtin_add_overflow(mapping->offset_B, mapping->size_B, &end_B) && end_B <= mapping->gem->size_B);
}

static int map_in_place(struct drm_vm *vm, const struct drm_mapping *mapping, bool is_replacing)
{
    if (!is_inside_gem(mapping) || !gpu_space_contains(&vm->space, mapping->va, mapping->size_B))
        return -EINVAL;
    struct gem_array dropped = {0};
    lock_for(vm, mapping->va, mapping->size_B, &dropped);
    int error = is_replacing ? replace_mapping(vm, *mapping, &dropped) : map_new(vm, *mapping);
    pthread_mutex_unlock(&vm->lock);
    drop_references(&dropped);
    return error;
}

int drm_vm_map(struct drm_vm *vm, const struct drm_mapping *mapping)
{
    return map_in_place(vm, mapping, false);
}

int drm_vm_replace(struct drm_vm *vm, const struct drm_mapping *mapping)
{
    return map_in_place(vm, mapping, true);
}

int drm_vm_unmap(struct drm_vm *vm, const struct drm_gem *gem, uint64_t va)
{
    struct gem_array dropped = {0};
    pthread_mutex_lock(&vm->lock);
    reap_mappings(vm, &dropped);
    int error = unmap_buffer(vm, gem, va, &dropped);
    pthread_mutex_unlock(&vm->lock);
    drop_references(&dropped);
    return error;
}

int drm_vm_clear(struct drm_vm *vm, uint64_t va, uint64_t size_B)
{
    struct gem_array dropped = {0};
    pthread_mutex_lock(&vm->lock);
    reap_mappings(vm, &dropped);
    int error = clear_range(vm, va, size_B, &dropped);
    pthread_mutex_unlock(&vm->lock);
    drop_references(&dropped);
    return error;
}

/* ---- for reports ---- */

static void describe_mapping(const struct drm_mapping *mapping, const char *where, struct strbuf *text)
{
    const struct drm_gem *gem = mapping->gem;
    strbuf_printf(text, "  %s 0x%016llx-0x%016llx %s%s%s", where, (unsigned long long)mapping->va,
                  (unsigned long long)(mapping->va + mapping->size_B), mapping->perms & GPU_PERM_READ ? "r" : "-",
                  mapping->perms & GPU_PERM_WRITE ? "w" : "-", mapping->perms & GPU_PERM_EXEC ? "x" : "-");
    if (!gem) {
        strbuf_append(text, " partially resident\n");
        return;
    }
    const char *heap = gem->user_memory ? "user memory" : gem->heap ? gem->heap->name : "another's memory";
    strbuf_printf(text, " buffer of %llu bytes in %s, offset 0x%llx", (unsigned long long)gem->size_B, heap,
                  (unsigned long long)mapping->offset_B);
    if (gem->device->driver->gem_label) {
        pthread_mutex_lock(&gem->device->lock);
        const char *label = gem->device->driver->gem_label(gem);
        strbuf_printf(text, "%s%s", *label ? ": " : "", label);
        pthread_mutex_unlock(&gem->device->lock);
    }
    strbuf_append(text, "\n");
}

void drm_vm_describe(const struct gpu_space *space, uint64_t va, struct strbuf *text)
{
    struct drm_vm *vm = container_of((struct gpu_space *)(uintptr_t)space, struct drm_vm, space);
    pthread_mutex_lock(&vm->lock);
    const struct drm_mapping *at = first_mapping(vm, va, 1);
    const uint64_t start = at ? at->va : va;
    const struct drm_mapping *below = start ? ordered_before(&vm->mappings, start - 1) : NULL;
    const struct drm_mapping *above = ordered_after(&vm->mappings, at ? last_of(at) : va);
    if (at)
        describe_mapping(at, "at   ", text);
    if (below)
        describe_mapping(below, "below", text);
    if (above)
        describe_mapping(above, "above", text);
    if (vm->mappings.count == 0)
        strbuf_append(text, "  nothing is mapped in this address space\n");
    pthread_mutex_unlock(&vm->lock);
}
