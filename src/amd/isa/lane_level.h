/* Names of generated code that is compiled once per level of host instructions: -DLANE_LEVEL=avx2 gives every function
 * its suffix. */
#ifndef AMD_ISA_LANE_LEVEL_H
#define AMD_ISA_LANE_LEVEL_H

#ifdef LANE_LEVEL
#define LANE_LEVEL_PASTE2(name, level) name##_##level
#define LANE_LEVEL_PASTE(name, level) LANE_LEVEL_PASTE2(name, level)
#define LANE_LEVEL_NAME(name) LANE_LEVEL_PASTE(name, LANE_LEVEL)
#else
#define LANE_LEVEL_NAME(name) name
#endif

#endif
