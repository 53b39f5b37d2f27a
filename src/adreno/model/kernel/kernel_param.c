/* GET_PARAM and SET_PARAM: what the chip is, what the file's address space is, and what a program says of itself. */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "adreno/model/kernel/kernel_types.h"
#include "model/drm/drm_user.h"

#define TEXT_MAX_B 4096

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static uint64_t chip_id(const struct adreno_chip *chip)
{
    return chip->chip_id | (chip->gpu_id ? 0 : (uint64_t)chip->speed_bin << 32);
}

static uint64_t timestamp(struct adreno_device *device)
{
    return device->drm.engine_ops->timestamp(device->drm.engine);
}

int adreno_get_param_ioctl(struct drm_file *drm_file, void *data)
{
    struct adreno_file *file = adreno_file(drm_file);
    struct drm_msm_param *args = data;
    const struct adreno_chip *chip = file->device->chip;
    if (args->pipe != MSM_PIPE_3D0 || args->pad || args->len)
        return -EINVAL;
    const struct adreno_vm *vm = adreno_file_vm(file);
    if (!vm)
        return -ENOMEM;
    switch (args->param) {
    case MSM_PARAM_GPU_ID:
        args->value = chip->gpu_id;
        return 0;
    case MSM_PARAM_GMEM_SIZE:
        args->value = chip->gmem_size_B;
        return 0;
    case MSM_PARAM_GMEM_BASE:
        args->value = chip->gmem_base;
        return 0;
    case MSM_PARAM_CHIP_ID:
        args->value = chip_id(chip);
        return 0;
    case MSM_PARAM_MAX_FREQ:
        args->value = chip->max_freq_Hz;
        return 0;
    case MSM_PARAM_TIMESTAMP:
        args->value = timestamp(file->device);
        return 0;
    case MSM_PARAM_PRIORITIES:
        args->value = chip->priorities;
        return 0;
    case MSM_PARAM_FAULTS:
        args->value = atomic_load(&vm->faults);
        return 0;
    case MSM_PARAM_VA_START:
        args->value = ADRENO_VA_START;
        return 0;
    case MSM_PARAM_VA_SIZE:
        args->value = chip->va_size_B;
        return 0;
    case MSM_PARAM_HIGHEST_BANK_BIT:
        args->value = chip->highest_bank_bit;
        return 0;
    case MSM_PARAM_UBWC_SWIZZLE:
        args->value = chip->ubwc_swizzle;
        return 0;
    case MSM_PARAM_MACROTILE_MODE:
        args->value = chip->macrotile_mode;
        return 0;
    case MSM_PARAM_UCHE_TRAP_BASE:
        args->value = ADRENO_UCHE_TRAP_BASE;
        return 0;
    case MSM_PARAM_HAS_PRR:
        args->value = chip->has_prr;
        return 0;
    case MSM_PARAM_PP_PGTABLE: /* always 0 */
    case MSM_PARAM_SUSPENDS:   /* the model never sleeps: its counters go on */
    case MSM_PARAM_RAYTRACING:
    case MSM_PARAM_AQE:
        args->value = 0;
        return 0;
    default:
        return -EINVAL;
    }
}

static bool process_may_measure(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (syscall(SYS_capget, &header, sets))
        return false;
    return sets[CAP_PERFMON / 32].effective >> (CAP_PERFMON % 32) & 1 ||
           sets[CAP_SYS_ADMIN / 32].effective >> (CAP_SYS_ADMIN % 32) & 1;
}

static int set_text(struct adreno_file *file, char **place, const struct drm_msm_param *args)
{
    if (args->len > TEXT_MAX_B)
        return -EINVAL;
    char *text = calloc(1, args->len + 1u);
    int error = text ? drm_copy_from_user(text, args->value, args->len) : -ENOMEM;
    if (error) {
        free(text);
        return error;
    }
    pthread_mutex_lock(&file->file.lock);
    char *old = *place;
    *place = text;
    pthread_mutex_unlock(&file->file.lock);
    free(old);
    return 0;
}

/* Only before there is an address space. */
static int set_vm_bind(struct adreno_file *file, bool is_wanted)
{
    pthread_mutex_lock(&file->file.lock);
    int error = file->vm ? -EBUSY : 0;
    if (!error)
        file->wants_vm_bind = is_wanted;
    pthread_mutex_unlock(&file->file.lock);
    return error;
}

int adreno_set_param_ioctl(struct drm_file *drm_file, void *data)
{
    struct adreno_file *file = adreno_file(drm_file);
    const struct drm_msm_param *args = data;
    if (args->pipe != MSM_PIPE_3D0 || args->pad)
        return -EINVAL;
    if (args->param == MSM_PARAM_COMM)
        return set_text(file, &file->comm, args);
    if (args->param == MSM_PARAM_CMDLINE)
        return set_text(file, &file->cmdline, args);
    if (args->len)
        return -EINVAL;
    switch (args->param) {
    case MSM_PARAM_SYSPROF: /* counters survive a sleep, which there is none of */
        if (!process_may_measure())
            return -EPERM;
        return args->value > 2 ? -EINVAL : 0;
    case MSM_PARAM_EN_VM_BIND:
        return set_vm_bind(file, args->value != 0);
    default:
        return -EINVAL;
    }
}
