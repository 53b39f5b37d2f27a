#version 460
// images 5 1 1
#extension GL_GOOGLE_include_directive : require
// What images say about themselves. The level is the same for a group: lavapipe asks for the first lane only.
#extension GL_EXT_samplerless_texture_functions : require
#include "common.glsl"
#include "images.glsl"
layout(local_size_x = 1) in;
void main()
{
    int level = int(ID % 5u);
    uint n = ID * 32u;
    put(n, uint(textureSize(sampler2D(plane, nearest), level).x));
    put(n + 1u, textureQueryLevels(sampler2D(plane, nearest)));
    ivec3 array = textureSize(sampler2DArray(planes, nearest), level & 1);
    put(n + 2u, array.x | array.y << 8 | array.z << 16);
    put(n + 3u, textureQueryLevels(sampler2DArray(planes, nearest)));
    put(n + 4u, textureSize(samplerCube(cube, nearest), level & 3).y);
    ivec3 thick = textureSize(sampler3D(volume, nearest), level & 1);
    put(n + 5u, thick.x | thick.y << 8 | thick.z << 16);
    put(n + 6u, textureSize(sampler1D(line, nearest), level & 1));
    put(n + 7u, textureSize(sampler2DMS(samples_plane, nearest)).x);
    put(n + 8u, textureSamples(sampler2DMS(samples_plane, nearest)));
    put(n + 9u, textureSize(texels));
    put(n + 10u, imageSize(words_image).x);
    put(n + 11u, imageSize(bytes_image).z);
    put(n + 12u, imageSize(volume_image).z);
    put(n + 13u, imageSize(line_image));
    put(n + 14u, imageSize(texels_image));
    put(n + 15u, imageSize(cube_image).y);
    ivec3 many = textureSize(samplerCubeArray(cubes, nearest), 0);
    put(n + 16u, many.x | many.y << 8 | many.z << 16);
    ivec2 rows = textureSize(sampler1DArray(lines, nearest), 0);
    put(n + 17u, rows.x | rows.y << 8);
    put(n + 18u, textureSize(combined, level).y);
    put(n + 19u, textureSize(combined_array[ID % 3u], 0).y);
}
