/* GPU address spaces: GEM_VA and what is mapped where. A mapping is there at once. What is unmapped is gone at once for
 * whoever asks, but its pages stay until the jobs that were submitted before are done, as the kernel orders it: RADV
 * frees the command buffers of a preamble that it replaces while the jobs that call it still wait. */
#include <errno.h>
#include <stdlib.h>

#include "amd/model/kernel/kernel_types.h"
#include "util/bits.h"
#include "util/strbuf.h"

#define VA_RESERVED_B (2ull << 20)
#define VA_HOLE_START 0x0000800000000000ull
#define VA_HOLE_END 0xffff800000000000ull

int amd_vm_create(struct amd_device *device, struct amd_vm **vm_out)
{
    struct amd_vm *vm = calloc(1, sizeof(*vm));
    if (!vm)
        return -ENOMEM;
    int error = gpu_space_init(&vm->space, device->low_va, device->low_size_B, device->high_va, device->high_size_B);
    if (error) {
        free(vm);
        return error;
    }
    atomic_init(&vm->refs, 1);
    vm->device = device;
    pthread_mutex_init(&vm->lock, NULL);
    pthread_mutex_lock(&device->lock);
    list_push_back(&device->vms, &vm->node);
    pthread_mutex_unlock(&device->lock);
    *vm_out = vm;
    return 0;
}

struct amd_vm *amd_vm_ref(struct amd_vm *vm)
{
    atomic_fetch_add_explicit(&vm->refs, 1, memory_order_relaxed);
    return vm;
}

/* ---- where a buffer is mapped, for the day when its bytes move; device lock held ---- */

static void forget_place(struct amd_bo *bo, const struct amd_vm *vm, uint64_t va, uint64_t size_B)
{
    for (uint32_t i = 0; i < bo->places.count; i++) {
        const struct amd_mapping_place *place = &bo->places.data[i];
        if (place->vm == vm && place->va == va && place->size_B == size_B) {
            array_remove_swap(&bo->places, i);
            return;
        }
    }
}

static unsigned mapping_perms(const struct amd_mapping *mapping)
{
    return (mapping->flags & AMDGPU_VM_PAGE_READABLE ? GPU_PERM_READ : 0u) |
           (mapping->flags & AMDGPU_VM_PAGE_WRITEABLE &&
                    !(mapping->bo && mapping->bo->user_flags & AMDGPU_GEM_USERPTR_READONLY)
                ? GPU_PERM_WRITE
                : 0u) |
           (mapping->flags & AMDGPU_VM_PAGE_EXECUTABLE ? GPU_PERM_EXEC : 0u);
}

static bool vm_is_busy(const struct amd_vm *vm)
{
    return atomic_load(&vm->jobs) != 0;
}

/* The kernel counts a unit of on-chip memory as a page and lets it be mapped; what is there for an access to find is nothing. */
static bool is_on_chip(const struct amd_bo *bo)
{
    return bo->fd < 0 && !bo->user_memory;
}

/* Make the pages of a mapping what it says. */
static int install(struct amd_vm *vm, const struct amd_mapping *mapping)
{
    struct amd_bo *bo = mapping->bo;
    if (!bo)
        return gpu_space_map_resident(&vm->space, mapping->va, mapping->size_B);
    if (is_on_chip(bo))
        return gpu_space_unmap(&vm->space, mapping->va, mapping->size_B, vm_is_busy(vm));
    unsigned perms = mapping_perms(mapping);
    if (bo->user_memory)
        return gpu_space_map_user(&vm->space, mapping->va, mapping->size_B, (char *)bo->user_memory + mapping->offset_B,
                                  perms);
    pthread_mutex_lock(&vm->device->lock);
    struct amd_mapping_place place = {vm, mapping->va, mapping->size_B, mapping->offset_B, perms};
    int error = array_push(&bo->places, place) ? 0 : -ENOMEM;
    if (!error) {
        error = gpu_space_map_file(&vm->space, mapping->va, mapping->size_B, bo->fd, bo->offset_B + mapping->offset_B,
                                   perms);
        if (error)
            bo->places.count--;
    }
    pthread_mutex_unlock(&vm->device->lock);
    return error;
}

static void forget_mapping_place(struct amd_vm *vm, const struct amd_mapping *mapping)
{
    if (!mapping->bo)
        return;
    pthread_mutex_lock(&vm->device->lock);
    forget_place(mapping->bo, vm, mapping->va, mapping->size_B);
    pthread_mutex_unlock(&vm->device->lock);
}

static void remember_mapping_place(struct amd_vm *vm, const struct amd_mapping *mapping)
{
    if (!mapping->bo || mapping->bo->user_memory || is_on_chip(mapping->bo))
        return;
    struct amd_mapping_place place = {vm, mapping->va, mapping->size_B, mapping->offset_B, mapping_perms(mapping)};
    pthread_mutex_lock(&vm->device->lock);
    array_push(&mapping->bo->places, place); /* room was reserved by whoever cuts mappings */
    pthread_mutex_unlock(&vm->device->lock);
}

/* ---- the list of mappings; vm->lock held ---- */

/* The first mapping that ends behind `va`. */
static uint32_t find_mapping(const struct amd_vm *vm, uint64_t va)
{
    uint32_t low = 0, high = vm->mappings.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct amd_mapping *mapping = &vm->mappings.data[middle];
        if (mapping->va + (mapping->size_B - 1) < va)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool overlaps(const struct amd_vm *vm, uint64_t va, uint64_t size_B)
{
    uint32_t index = find_mapping(vm, va);
    return index < vm->mappings.count && vm->mappings.data[index].va <= va + (size_B - 1);
}

static void remove_mapping(struct amd_vm *vm, uint32_t index)
{
    vm->mappings.count--;
    memmove(vm->mappings.data + index, vm->mappings.data + index + 1,
            (vm->mappings.count - index) * sizeof(vm->mappings.data[0]));
}

/* There is room. */
static void insert_mapping(struct amd_vm *vm, struct amd_mapping mapping)
{
    uint32_t index = find_mapping(vm, mapping.va);
    memmove(vm->mappings.data + index + 1, vm->mappings.data + index,
            (vm->mappings.count - index) * sizeof(vm->mappings.data[0]));
    vm->mappings.data[index] = mapping;
    vm->mappings.count++;
}

static int map_new(struct amd_vm *vm, struct amd_mapping mapping)
{
    if (overlaps(vm, mapping.va, mapping.size_B))
        return -EINVAL;
    if (!array_reserve(&vm->mappings, vm->mappings.count + 1))
        return -ENOMEM;
    int error = install(vm, &mapping);
    if (error)
        return error;
    if (mapping.bo)
        amd_bo_ref(mapping.bo);
    insert_mapping(vm, mapping);
    return 0;
}

/* Take [va, va + size_B) out of mapping `index`; what stays below and above goes on. Two cut pieces need room for one
 * more. The buffer's reference goes to *dropped_out when nothing is left of it. */
static void cut_mapping(struct amd_vm *vm, uint32_t index, uint64_t va, uint64_t size_B, struct amd_bo **dropped_out)
{
    struct amd_mapping old = vm->mappings.data[index];
    uint64_t old_last = old.va + (old.size_B - 1), last = va + (size_B - 1);
    forget_mapping_place(vm, &old);
    remove_mapping(vm, index);
    *dropped_out = old.bo;
    if (old.va < va) {
        struct amd_mapping below = old;
        below.size_B = va - old.va;
        insert_mapping(vm, below);
        remember_mapping_place(vm, &below);
        *dropped_out = NULL;
    }
    if (old_last > last) {
        struct amd_mapping above = old;
        above.va = last + 1;
        above.size_B = old_last - last;
        above.offset_B = old.bo ? old.offset_B + (above.va - old.va) : 0;
        if (old.bo && !*dropped_out)
            amd_bo_ref(old.bo);
        insert_mapping(vm, above);
        remember_mapping_place(vm, &above);
        *dropped_out = NULL;
    }
}

struct bo_array {
    struct amd_bo **data;
    uint32_t count;
    uint32_t capacity;
};

/* All the memory that clear_list and a mapping in its place will need. */
static int reserve_for_cut(struct amd_vm *vm, uint64_t va, uint64_t size_B, struct bo_array *dropped)
{
    uint32_t touched = 0;
    bool enough = array_reserve(&vm->mappings, vm->mappings.count + 3);
    pthread_mutex_lock(&vm->device->lock);
    for (uint32_t i = find_mapping(vm, va); i < vm->mappings.count && vm->mappings.data[i].va <= va + (size_B - 1);
         i++) {
        struct amd_bo *bo = vm->mappings.data[i].bo;
        enough = enough && (!bo || array_reserve(&bo->places, bo->places.count + 2));
        touched++;
    }
    pthread_mutex_unlock(&vm->device->lock);
    return enough && array_reserve(dropped, dropped->count + touched) ? 0 : -ENOMEM;
}

/* Cut the range out of every mapping; the pages are the caller's to replace. References to drop go to `dropped`. The
 * memory was reserved. */
static void clear_list(struct amd_vm *vm, uint64_t va, uint64_t size_B, struct bo_array *dropped)
{
    const uint64_t end = va + (size_B - 1);
    for (;;) {
        uint32_t index = find_mapping(vm, va);
        if (index >= vm->mappings.count || vm->mappings.data[index].va > end)
            return;
        const struct amd_mapping *mapping = &vm->mappings.data[index];
        uint64_t first = MAX2(va, mapping->va);
        uint64_t last = MIN2(end, mapping->va + (mapping->size_B - 1));
        struct amd_bo *bo;
        cut_mapping(vm, index, first, last - first + 1, &bo);
        if (bo)
            dropped->data[dropped->count++] = bo;
    }
}

static void drop_references(struct bo_array *dropped)
{
    array_foreach (dropped, bo)
        amd_bo_unref(*bo);
    array_finish(dropped);
}

/* ---- pages that stay for a while; vm->lock held ---- */

/* A fence for all jobs of the space; NULL when none is left, or without memory. */
static struct drm_fence *jobs_before(struct amd_vm *vm)
{
    ARRAY(struct drm_fence *) pending = {0};
    struct drm_fence *all = NULL;
    pthread_mutex_lock(&vm->device->lock);
    array_foreach (&vm->fences, fence) {
        if (!drm_fence_is_signaled(*fence) && array_push(&pending, *fence))
            drm_fence_ref(*fence);
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
static bool may_stay(const struct amd_vm *vm, uint64_t va, uint64_t size_B)
{
    for (uint32_t i = find_mapping(vm, va); i < vm->mappings.count && vm->mappings.data[i].va <= va + (size_B - 1);
         i++) {
        if (vm->mappings.data[i].bo && vm->mappings.data[i].bo->user_memory)
            return false;
    }
    return true;
}

/* The range leaves the list now and the space when `after` is signaled. Takes the reference. The memory was reserved.
 */
static int leave_later(struct amd_vm *vm, uint64_t va, uint64_t size_B, struct drm_fence *after,
                       struct bo_array *dropped)
{
    uint32_t first = dropped->count;
    if (!array_reserve(&vm->leaving, vm->leaving.count + 1 + (dropped->capacity - first))) {
        drm_fence_unref(after);
        return -ENOMEM;
    }
    clear_list(vm, va, size_B, dropped);
    vm->leaving.data[vm->leaving.count++] = (struct amd_leaving){va, size_B, after, NULL};
    for (uint32_t i = first; i < dropped->count; i++) /* the buffers with it: their bytes must not become another's */
        vm->leaving.data[vm->leaving.count++] = (struct amd_leaving){0, 0, drm_fence_ref(after), dropped->data[i]};
    dropped->count = first;
    return 0;
}

/* Let go of what no job needs any more. */
static void reap(struct amd_vm *vm, struct bo_array *dropped)
{
    for (uint32_t i = 0; i < vm->leaving.count;) {
        struct amd_leaving leaving = vm->leaving.data[i];
        if (!drm_fence_is_signaled(leaving.after) || (leaving.bo && !array_reserve(dropped, dropped->count + 1)) ||
            (leaving.size_B && gpu_space_unmap(&vm->space, leaving.va, leaving.size_B, vm_is_busy(vm)))) {
            i++;
            continue;
        }
        if (leaving.bo)
            dropped->data[dropped->count++] = leaving.bo;
        drm_fence_unref(leaving.after);
        array_remove_swap(&vm->leaving, i);
    }
}

/* Before new pages take the place of old ones that are in use: wait for their jobs. Called without the lock, which is
 * held on return. */
static void lock_for(struct amd_vm *vm, uint64_t va, uint64_t size_B, struct bo_array *dropped)
{
    for (;;) {
        struct drm_fence *after = NULL;
        pthread_mutex_lock(&vm->lock);
        reap(vm, dropped);
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

static int clear(struct amd_vm *vm, uint64_t va, uint64_t size_B, struct bo_array *dropped)
{
    int error = reserve_for_cut(vm, va, size_B, dropped);
    if (error)
        return error;
    struct drm_fence *after = may_stay(vm, va, size_B) ? jobs_before(vm) : NULL;
    if (after)
        return leave_later(vm, va, size_B, after, dropped);
    error = gpu_space_unmap(&vm->space, va, size_B, vm_is_busy(vm));
    if (!error)
        clear_list(vm, va, size_B, dropped);
    return error;
}

static int replace(struct amd_vm *vm, struct amd_mapping mapping, struct bo_array *dropped)
{
    /* The new pages go over the old ones at once, and only if that worked does the list change. */
    int error = reserve_for_cut(vm, mapping.va, mapping.size_B, dropped);
    if (!error)
        error = install(vm, &mapping);
    if (error)
        return error;
    if (mapping.bo) {
        amd_bo_ref(mapping.bo);
        forget_mapping_place(vm, &mapping); /* or cutting an equal old mapping might forget the new one's */
    }
    clear_list(vm, mapping.va, mapping.size_B, dropped);
    remember_mapping_place(vm, &mapping);
    insert_mapping(vm, mapping);
    return 0;
}

/* The mapping of this buffer (NULL: partially resident) that starts at `va`, whole. */
static int unmap(struct amd_vm *vm, const struct amd_bo *bo, uint64_t va, struct bo_array *dropped)
{
    uint32_t index = find_mapping(vm, va);
    if (index >= vm->mappings.count || vm->mappings.data[index].va != va || vm->mappings.data[index].bo != bo)
        return -ENOENT;
    return clear(vm, va, vm->mappings.data[index].size_B, dropped);
}

void amd_vm_settle(struct amd_vm *vm)
{
    struct bo_array dropped = {0};
    pthread_mutex_lock(&vm->lock);
    reap(vm, &dropped);
    pthread_mutex_unlock(&vm->lock);
    drop_references(&dropped);
}

void amd_vm_forget_bo(struct amd_vm *vm, struct amd_bo *bo)
{
    struct bo_array dropped = {0};
    pthread_mutex_lock(&vm->lock);
    reap(vm, &dropped);
    for (uint32_t i = 0; i < vm->mappings.count;) {
        struct amd_mapping mapping = vm->mappings.data[i];
        if (mapping.bo != bo || clear(vm, mapping.va, mapping.size_B, &dropped))
            i++;
    }
    pthread_mutex_unlock(&vm->lock);
    drop_references(&dropped);
}

void amd_vm_unref(struct amd_vm *vm)
{
    if (!vm || atomic_fetch_sub_explicit(&vm->refs, 1, memory_order_acq_rel) != 1)
        return;
    array_foreach (&vm->mappings, mapping) {
        forget_mapping_place(vm, mapping);
        amd_bo_unref(mapping->bo);
    }
    array_finish(&vm->mappings);
    array_foreach (&vm->leaving, leaving) {
        drm_fence_unref(leaving->after);
        amd_bo_unref(leaving->bo);
    }
    array_finish(&vm->leaving);
    pthread_mutex_lock(&vm->device->lock);
    list_remove(&vm->node);
    pthread_mutex_unlock(&vm->device->lock);
    array_foreach (&vm->fences, fence)
        drm_fence_unref(*fence);
    array_finish(&vm->fences);
    gpu_space_finish(&vm->space);
    pthread_mutex_destroy(&vm->lock);
    free(vm);
}

/* ---- GEM_VA ---- */

static int check_va_args(const struct amd_vm *vm, const struct drm_amdgpu_gem_va *args)
{
    const uint32_t valid_flags = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE |
                                 AMDGPU_VM_PAGE_EXECUTABLE | AMDGPU_VM_MTYPE_MASK | (1u << 9) /* NOALLOC */;
    const uint32_t prt_flags = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_PRT;
    if (args->va_address < VA_RESERVED_B)
        return -EINVAL;
    if (args->va_address >= VA_HOLE_START && args->va_address < VA_HOLE_END)
        return -EINVAL;
    if (args->flags & ~valid_flags && args->flags & ~prt_flags)
        return -EINVAL;
    if (args->operation < AMDGPU_VA_OP_MAP || args->operation > AMDGPU_VA_OP_REPLACE)
        return -EINVAL;
    uint64_t mask = gpu_space_granularity_B() - 1;
    if (args->operation == AMDGPU_VA_OP_UNMAP)
        return 0;
    if ((args->va_address | args->map_size | args->offset_in_bo) & mask)
        return -EINVAL;
    return gpu_space_contains(&vm->space, args->va_address, args->map_size) ? 0 : -EINVAL;
}

static int run_va_op(struct amd_vm *vm, const struct drm_amdgpu_gem_va *args, struct amd_bo *bo,
                     struct bo_array *dropped)
{
    struct amd_mapping mapping = {.va = args->va_address,
                                  .size_B = args->map_size,
                                  .bo = bo,
                                  .offset_B = bo ? args->offset_in_bo : 0,
                                  .flags = args->flags};
    bool maps = args->operation == AMDGPU_VA_OP_MAP || args->operation == AMDGPU_VA_OP_REPLACE;
    if (maps && bo) {
        uint64_t end_B, size_B = is_on_chip(bo) ? bo->size_B << GPU_PAGE_SHIFT : bo->size_B;
        if (__builtin_add_overflow(args->offset_in_bo, args->map_size, &end_B) || end_B > size_B)
            return -EINVAL;
    }
    switch (args->operation) {
    case AMDGPU_VA_OP_MAP:
        return map_new(vm, mapping);
    case AMDGPU_VA_OP_REPLACE:
        return replace(vm, mapping, dropped);
    case AMDGPU_VA_OP_UNMAP:
        return unmap(vm, bo, args->va_address, dropped);
    default:
        return clear(vm, args->va_address, args->map_size, dropped);
    }
}

int amd_gem_va_ioctl(struct amd_file *file, void *data)
{
    const struct drm_amdgpu_gem_va *args = data;
    struct amd_vm *vm = file->vm;
    int error = check_va_args(vm, args);
    if (error)
        return error;
    struct amd_bo *bo = NULL;
    if (args->operation != AMDGPU_VA_OP_CLEAR && !(args->flags & AMDGPU_VM_PAGE_PRT)) {
        bo = amd_bo_find(file, args->handle);
        if (!bo)
            return -ENOENT;
    }
    struct bo_array dropped = {0};
    bool maps = args->operation == AMDGPU_VA_OP_MAP || args->operation == AMDGPU_VA_OP_REPLACE;
    lock_for(vm, args->va_address, maps ? args->map_size : 0, &dropped);
    error = run_va_op(vm, args, bo, &dropped);
    pthread_mutex_unlock(&vm->lock);
    drop_references(&dropped);
    amd_bo_unref(bo);
    return error;
}

/* ---- for reports ---- */

static void describe_mapping(const struct amd_mapping *mapping, const char *where, struct strbuf *text)
{
    strbuf_printf(
        text, "  %s 0x%016llx-0x%016llx %s%s%s", where, (unsigned long long)mapping->va,
        (unsigned long long)(mapping->va + mapping->size_B), mapping->flags & AMDGPU_VM_PAGE_READABLE ? "r" : "-",
        mapping->flags & AMDGPU_VM_PAGE_WRITEABLE ? "w" : "-", mapping->flags & AMDGPU_VM_PAGE_EXECUTABLE ? "x" : "-");
    if (!mapping->bo)
        strbuf_append(text, " partially resident\n");
    else
        strbuf_printf(text, " buffer of %llu bytes%s, offset 0x%llx\n", (unsigned long long)mapping->bo->size_B,
                      mapping->bo->user_memory             ? " in user memory"
                      : mapping->bo->heap == AMD_HEAP_VRAM ? " in VRAM"
                                                           : " in GTT",
                      (unsigned long long)mapping->offset_B);
}

void amd_vm_describe(const struct gpu_space *space, uint64_t va, struct strbuf *text)
{
    struct amd_vm *vm = container_of((struct gpu_space *)(uintptr_t)space, struct amd_vm, space);
    pthread_mutex_lock(&vm->lock);
    uint32_t index = find_mapping(vm, va);
    uint32_t above = index;
    if (index < vm->mappings.count && vm->mappings.data[index].va <= va) {
        describe_mapping(&vm->mappings.data[index], "at   ", text);
        above++;
    }
    if (index > 0)
        describe_mapping(&vm->mappings.data[index - 1], "below", text);
    if (above < vm->mappings.count)
        describe_mapping(&vm->mappings.data[above], "above", text);
    if (vm->mappings.count == 0)
        strbuf_append(text, "  nothing is mapped in this address space\n");
    pthread_mutex_unlock(&vm->lock);
}

const struct amd_engine_host amd_engine_host = {.describe_address = amd_vm_describe};
