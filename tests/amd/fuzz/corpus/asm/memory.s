bbuffer_load_dword v5, v[0:1], s[8:11], s3 idxen offen offset:4 glc
tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_FMT_32_FLOAT]
image_sample v[0:3], [v0, v5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D
global_load_dword v0, v[2:3], off offset:-8
ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,"01pip")
exp mrt0 v0, v1, off, off done vm
