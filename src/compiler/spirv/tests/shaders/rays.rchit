// Every built-in of a closest hit, and a ray of its own with the payload that it was given.
#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_ray_cull_mask : require

hitAttributeEXT vec2 weights;
layout(location = 0) rayPayloadInEXT vec4 payload[2];
layout(location = 1) rayPayloadEXT uint shadow;
layout(location = 0) callableDataEXT mat3 called;
layout(set = 0, binding = 0) uniform accelerationStructureEXT top;
layout(shaderRecordEXT) buffer Record { float values[3]; };
layout(push_constant) uniform Push { uint n; } push;

void main()
{
    vec3 at = gl_WorldRayOriginEXT + gl_WorldRayDirectionEXT * gl_HitTEXT;
    payload[0] = vec4(at, weights.x + weights.y);
    payload[1].xyz = gl_ObjectRayOriginEXT + gl_ObjectRayDirectionEXT * gl_RayTminEXT + gl_ObjectToWorldEXT[push.n];
    payload[1].w = gl_WorldToObjectEXT[3][push.n % 3] + gl_WorldToObjectEXT[1].y + gl_WorldToObject3x4EXT[1][3] +
                   float(gl_PrimitiveID + gl_InstanceID + gl_InstanceCustomIndexEXT + gl_GeometryIndexEXT) +
                   float(gl_HitKindEXT + gl_IncomingRayFlagsEXT + gl_LaunchIDEXT.z + gl_LaunchSizeEXT.x) + gl_RayTmaxEXT +
                   float(gl_CullMaskEXT);
    shadow = 1;
    traceRayEXT(top, gl_RayFlagsSkipClosestHitShaderEXT, 1, 0, 0, 1, at, 0.001, vec3(0, 1, 0), 50, 1);
    if (shadow == 1)
        traceRayEXT(top, 0, 1, 0, 0, 1, at, 0.001, vec3(0, 1, 0), 50, 0);
    called = mat3(payload[0].x);
    executeCallableEXT(push.n, 0);
    payload[0] += called[1].z + values[push.n];
}
