/* Whether this file is built with a sanitizer that watches memory. Two compilers say it in two ways. */
#ifndef UTIL_SANITIZER_H
#define UTIL_SANITIZER_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

#endif
