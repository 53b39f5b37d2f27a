/* The ioctls of dma-bufs, with those that Linux 6.0 brought where the installed kernel headers are older. Not for
 * sync_file's own. */
#ifndef KERNEL_DMA_BUF_H
#define KERNEL_DMA_BUF_H

#include <linux/dma-buf.h>

#ifndef DMA_BUF_IOCTL_EXPORT_SYNC_FILE
struct dma_buf_export_sync_file {
    __u32 flags;
    __s32 fd;
};

struct dma_buf_import_sync_file {
    __u32 flags;
    __s32 fd;
};

#define DMA_BUF_IOCTL_EXPORT_SYNC_FILE _IOWR(DMA_BUF_BASE, 2, struct dma_buf_export_sync_file)
#define DMA_BUF_IOCTL_IMPORT_SYNC_FILE _IOW(DMA_BUF_BASE, 3, struct dma_buf_import_sync_file)
#endif

#endif
