#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A matrix transposed through a padded tile.
// run 2 2 1
layout(local_size_x = 16, local_size_y = 16) in;

shared uint tile[16][17];

void main()
{
    uvec2 here = gl_LocalInvocationID.xy, from = gl_WorkGroupID.xy * 16u, to = gl_WorkGroupID.yx * 16u;
    tile[here.y][here.x] = in_u((from.y + here.y) * 32u + from.x + here.x);
    barrier();
    put((to.y + here.y) * 32u + to.x + here.x, tile[here.x][here.y]);
}
