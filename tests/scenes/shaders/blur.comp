#version 450
// A row or a column of 64 texels in workgroup memory with what lies beside them.
layout(local_size_x = 64) in;
layout(constant_id = 0) const int DOWN = 0;
layout(binding = 0, rgba16f) uniform readonly image2D from;
layout(binding = 1, rgba16f) uniform writeonly image2D to;
const int REACH = 16;
shared vec3 line[64 + 2 * REACH];

ivec2 place(int along, int across)
{
    return DOWN != 0 ? ivec2(across, along) : ivec2(along, across);
}

void main()
{
    ivec2 size = imageSize(from);
    int most = DOWN != 0 ? size.y : size.x, across = int(gl_WorkGroupID.y), first = int(gl_WorkGroupID.x) * 64 - REACH;
    for (int i = int(gl_LocalInvocationID.x); i < 64 + 2 * REACH; i += 64)
        line[i] = imageLoad(from, place(clamp(first + i, 0, most - 1), across)).rgb;
    barrier();
    int along = int(gl_GlobalInvocationID.x);
    if (along >= most)
        return;
    vec3 sum = vec3(0.0);
    float all = 0.0;
    for (int i = -REACH; i <= REACH; i++) {
        float weight = exp(-float(i * i) / 60.0);
        sum += weight * line[int(gl_LocalInvocationID.x) + REACH + i];
        all += weight;
    }
    imageStore(to, place(along, across), vec4(sum / all, 1.0));
}
