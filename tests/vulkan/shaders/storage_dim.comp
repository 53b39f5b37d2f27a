#version 450
/* Every dimension of storage images: texel += its own number, counted x first. */
layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;
layout(binding = 0, r32ui) uniform IMAGE image;
void main()
{
    uvec3 at = gl_GlobalInvocationID;
#if DIMENSIONS == 1
    uvec3 size = uvec3(imageSize(image), 1, 1);
    int place = int(at.x);
#elif defined(CUBE) /* the faces are layers */
#if DIMENSIONS == 2
    uvec3 size = uvec3(imageSize(image), 6);
#else
    uvec3 size = uvec3(imageSize(image)) * uvec3(1, 1, 6);
#endif
    ivec3 place = ivec3(at);
#elif DIMENSIONS == 2
    uvec3 size = uvec3(imageSize(image), 1);
    ivec2 place = ivec2(at.xy);
#else
    uvec3 size = uvec3(imageSize(image));
    ivec3 place = ivec3(at);
#endif
    if (any(greaterThanEqual(at, size)))
        return;
    imageStore(image, place, imageLoad(image, place) + at.x + size.x * (at.y + size.y * at.z));
}
