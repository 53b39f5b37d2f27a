/* VK_EXT_debug_utils, VK_EXT_debug_report and deferred operations: which listener gets what, and what is freed with
 * which object. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_debug_utils.h"
#include "vulkan/runtime/object/vk_struct.h"

/* ---- memory that runs out on demand ---- */

static int allocations_left = -1, alive;

static VKAPI_ATTR void *VKAPI_CALL allocate_memory(void *user, size_t size_B, size_t alignment_B,
                                                   VkSystemAllocationScope scope)
{
    if (allocations_left == 0)
        return NULL;
    if (allocations_left > 0)
        allocations_left--;
    alive++;
    return aligned_alloc(alignment_B, align_u64(size_B, alignment_B));
}

static VKAPI_ATTR void *VKAPI_CALL reallocate_memory(void *user, void *original, size_t size_B, size_t alignment_B,
                                                     VkSystemAllocationScope scope)
{
    return NULL;
}

static VKAPI_ATTR void VKAPI_CALL release_memory(void *user, void *memory)
{
    alive -= memory != NULL;
    free(memory);
}

static const VkAllocationCallbacks callbacks = {
    .pfnAllocation = allocate_memory, .pfnReallocation = reallocate_memory, .pfnFree = release_memory};

/* ---- listeners ---- */

struct heard {
    unsigned count;
    VkDebugUtilsMessageSeverityFlagBitsEXT severity;
    VkDebugUtilsMessageTypeFlagsEXT types;
    char message[128], name[64], labels[128];
    VkObjectType type;
    uint64_t object;
    VkDebugReportFlagsEXT flags;
    VkDebugReportObjectTypeEXT report_type;
};

static VKAPI_ATTR VkBool32 VKAPI_CALL note_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT types,
                                                   const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct heard *heard = user;
    unsigned count = heard->count;
    memset(heard, 0, sizeof(*heard));
    heard->count = count + 1;
    heard->severity = severity;
    heard->types = types;
    strncpy(heard->message, data->pMessage, sizeof(heard->message) - 1);
    if (data->objectCount) {
        heard->type = data->pObjects[0].objectType;
        heard->object = data->pObjects[0].objectHandle;
        if (data->pObjects[0].pObjectName)
            strncpy(heard->name, data->pObjects[0].pObjectName, sizeof(heard->name) - 1);
    }
    for (uint32_t i = 0; i < data->queueLabelCount; i++)
        strncat(strcat(heard->labels, "q:"), data->pQueueLabels[i].pLabelName, 32);
    for (uint32_t i = 0; i < data->cmdBufLabelCount; i++)
        strncat(strcat(heard->labels, "c:"), data->pCmdBufLabels[i].pLabelName, 32);
    return VK_FALSE;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL listen_report(VkDebugReportFlagsEXT flags, VkDebugReportObjectTypeEXT type,
                                                    uint64_t object, size_t location, int32_t code, const char *prefix,
                                                    const char *message, void *user)
{
    struct heard *heard = user;
    heard->count++;
    heard->flags = flags;
    heard->report_type = type;
    heard->object = object;
    strncpy(heard->message, message, sizeof(heard->message) - 1);
    return VK_FALSE;
}

#define ALL_SEVERITIES                                                                                                 \
    (VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT |                  \
     VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT)
#define ALL_TYPES                                                                                                      \
    (VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |                    \
     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT)

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(VkDebugUtilsMessageSeverityFlagsEXT severities,
                                                         VkDebugUtilsMessageTypeFlagsEXT types, struct heard *heard)
{
    VkDebugUtilsMessengerCreateInfoEXT info = vk_struct_init(VkDebugUtilsMessengerCreateInfoEXT);
    info.messageSeverity = severities;
    info.messageType = types;
    info.pfnUserCallback = note_message;
    info.pUserData = heard;
    return info;
}

/* ---- an instance with a device ---- */

static const struct vk_driver driver = {.name = "test"};
static const struct vk_driver *const drivers[] = {&driver, NULL};
static const struct vk_icd icd = {.drivers = drivers, .instance_extensions = &vk_common_instance_extensions};
static const struct vk_device_extensions no_extensions;
static const struct vk_features no_features;
static const struct vk_physical_device_dispatch no_entrypoints;
static const struct vk_device_dispatch no_device_entrypoints;
static VkInstance instance;
static struct vk_physical_device physical;
static struct vk_device device;

static const char *const extension_names[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_DEBUG_REPORT_EXTENSION_NAME};

static VkResult create_instance(const void *chain)
{
    VkInstanceCreateInfo info = vk_struct_init(VkInstanceCreateInfo);
    info.pNext = chain;
    info.enabledExtensionCount = ARRAY_SIZE(extension_names);
    info.ppEnabledExtensionNames = extension_names;
    return vk_instance_create(&icd, &info, &callbacks, &instance);
}

static int setup(void **state)
{
    log_set_level(LOG_LEVEL_ERROR);
    setenv("TUFF_GPU", "none", 1); /* its driver is for no model */
    struct vk_physical_device_info info = {.driver = &driver,
                                           .api_version = VK_API_VERSION_1_3,
                                           .entrypoints = &no_entrypoints,
                                           .supported_extensions = &no_extensions,
                                           .supported_features = &no_features};
    VkDeviceCreateInfo create = vk_struct_init(VkDeviceCreateInfo);
    if (create_instance(NULL) != VK_SUCCESS ||
        vk_physical_device_init(&physical, vk_instance_from_handle(instance), &info) != VK_SUCCESS)
        return -1;
    return vk_device_init(&device, &physical, &create, NULL, &no_device_entrypoints, NULL, 0);
}

static int teardown(void **state)
{
    vk_device_finish(&device);
    vk_physical_device_finish(&physical);
    vk_common_DestroyInstance(instance, &callbacks);
    return alive == 0 ? 0 : -1;
}

static VkDevice dev(void)
{
    return vk_device_to_handle(&device);
}

static VkDebugUtilsMessengerEXT add_messenger(VkDebugUtilsMessageSeverityFlagsEXT severities,
                                              VkDebugUtilsMessageTypeFlagsEXT types, struct heard *heard)
{
    VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(severities, types, heard);
    VkDebugUtilsMessengerEXT messenger;
    assert_int_equal(vk_common_CreateDebugUtilsMessengerEXT(instance, &info, NULL, &messenger), VK_SUCCESS);
    return messenger;
}

/* ---- messages ---- */

static void a_messenger_hears_what_it_asked_for(void **state)
{
    struct heard errors = {0}, slow = {0};
    VkDebugUtilsMessengerEXT a = add_messenger(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                               VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &errors);
    VkDebugUtilsMessengerEXT b = add_messenger(ALL_SEVERITIES, VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT, &slow);
    vk_device_error(&device, NULL, "%d of %s", 3, "them");
    assert_int_equal(errors.count, 1);
    assert_int_equal(slow.count, 0);
    assert_string_equal(errors.message, "3 of them");
    assert_int_equal(errors.severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT);
    assert_int_equal(errors.type, VK_OBJECT_TYPE_DEVICE);
    assert_true(errors.object == (uintptr_t)&device);
    vk_device_slow(&device, NULL, "a copy");
    assert_int_equal(errors.count, 1);
    assert_int_equal(slow.count, 1);
    vk_common_DestroyDebugUtilsMessengerEXT(instance, a, NULL);
    vk_device_error(&device, NULL, "nobody");
    assert_int_equal(errors.count, 1);
    vk_common_DestroyDebugUtilsMessengerEXT(instance, b, NULL);
    vk_common_DestroyDebugUtilsMessengerEXT(instance, VK_NULL_HANDLE, NULL);
}

static void the_loss_of_a_device_is_told_once(void **state)
{
    struct heard heard = {0};
    VkDebugUtilsMessengerEXT messenger = add_messenger(ALL_SEVERITIES, ALL_TYPES, &heard);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(vk_device_set_lost(&device, "it burns"), VK_ERROR_DEVICE_LOST);
    assert_int_equal(heard.count, 1);
    assert_string_equal(heard.message, "device lost: it burns");
    vk_common_DestroyDebugUtilsMessengerEXT(instance, messenger, NULL);
}

static void an_application_can_send_messages_itself(void **state)
{
    struct heard heard = {0};
    VkDebugUtilsMessengerEXT messenger = add_messenger(ALL_SEVERITIES, ALL_TYPES, &heard);
    VkDebugUtilsMessengerCallbackDataEXT data = vk_struct_init(VkDebugUtilsMessengerCallbackDataEXT);
    data.pMessage = "hello";
    vk_common_SubmitDebugUtilsMessageEXT(instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
                                         VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, &data);
    assert_int_equal(heard.count, 1);
    assert_string_equal(heard.message, "hello");
    assert_int_equal(heard.types, VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT);
    vk_common_DestroyDebugUtilsMessengerEXT(instance, messenger, NULL);
}

static void report_callbacks_hear_the_same_in_their_own_words(void **state)
{
    struct heard heard = {0};
    VkDebugReportCallbackCreateInfoEXT info = vk_struct_init(VkDebugReportCallbackCreateInfoEXT);
    info.flags = VK_DEBUG_REPORT_ERROR_BIT_EXT | VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT;
    info.pfnCallback = listen_report;
    info.pUserData = &heard;
    VkDebugReportCallbackEXT report;
    assert_int_equal(vk_common_CreateDebugReportCallbackEXT(instance, &info, NULL, &report), VK_SUCCESS);
    vk_device_error(&device, NULL, "broken");
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.flags, VK_DEBUG_REPORT_ERROR_BIT_EXT);
    assert_int_equal(heard.report_type, VK_DEBUG_REPORT_OBJECT_TYPE_DEVICE_EXT);
    assert_string_equal(heard.message, "broken");
    struct vk_object_base object;
    vk_object_base_init(&object, &device, VK_OBJECT_TYPE_SWAPCHAIN_KHR);
    vk_device_slow(&device, &object, "slow");
    assert_int_equal(heard.flags, VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT);
    assert_int_equal(heard.report_type, VK_DEBUG_REPORT_OBJECT_TYPE_SWAPCHAIN_KHR_EXT);
    vk_debug_message(vk_instance_from_handle(instance), VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
                     VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, NULL, "not asked for");
    assert_int_equal(heard.count, 2);
    vk_common_DebugReportMessageEXT(instance, VK_DEBUG_REPORT_ERROR_BIT_EXT, VK_DEBUG_REPORT_OBJECT_TYPE_BUFFER_EXT, 5,
                                    0, 0, "app", "mine");
    assert_int_equal(heard.count, 3);
    assert_int_equal(heard.report_type, VK_DEBUG_REPORT_OBJECT_TYPE_BUFFER_EXT);
    assert_string_equal(heard.message, "mine");
    vk_common_DestroyDebugReportCallbackEXT(instance, report, NULL);
    vk_device_error(&device, NULL, "nobody");
    assert_int_equal(heard.count, 3);
}

static void those_of_the_create_info_listen_at_the_ends_alone(void **state)
{
    struct heard heard = {0}, reported = {0};
    VkDebugReportCallbackCreateInfoEXT report = vk_struct_init(VkDebugReportCallbackCreateInfoEXT);
    report.flags = VK_DEBUG_REPORT_ERROR_BIT_EXT;
    report.pfnCallback = listen_report;
    report.pUserData = &reported;
    VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(ALL_SEVERITIES, ALL_TYPES, &heard);
    info.pNext = &report;

    /* A creation that fails is heard. */
    static const char *const no_such_extension = "VK_no_such_thing";
    VkInstanceCreateInfo create = vk_struct_init(VkInstanceCreateInfo);
    create.pNext = &info;
    create.enabledExtensionCount = 1;
    create.ppEnabledExtensionNames = &no_such_extension;
    VkInstance other;
    int before = alive;
    assert_int_equal(vk_instance_create(&icd, &create, &callbacks, &other), VK_ERROR_EXTENSION_NOT_PRESENT);
    assert_int_equal(alive, before);
    assert_int_equal(heard.count, 1);
    assert_int_equal(reported.count, 1);

    create.enabledExtensionCount = 0;
    assert_int_equal(vk_instance_create(&icd, &create, &callbacks, &other), VK_SUCCESS);
    vk_debug_message(vk_instance_from_handle(other), VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                     VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, NULL, "in between");
    assert_int_equal(heard.count, 1);
    vk_instance_debug_destroying(vk_instance_from_handle(other));
    vk_debug_message(vk_instance_from_handle(other), VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                     VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, NULL, "at the end");
    assert_int_equal(heard.count, 2);
    assert_int_equal(reported.count, 2);
    vk_common_DestroyInstance(other, &callbacks);
    assert_int_equal(alive, before);
}

/* ---- names, tags, labels ---- */

static VkResult name(VkObjectType type, void *object, const char *text)
{
    VkDebugUtilsObjectNameInfoEXT info = vk_struct_init(VkDebugUtilsObjectNameInfoEXT);
    info.objectType = type;
    info.objectHandle = (uintptr_t)object;
    info.pObjectName = text;
    return vk_common_SetDebugUtilsObjectNameEXT(dev(), &info);
}

static void a_name_comes_with_messages_and_dies_with_its_object(void **state)
{
    struct heard heard = {0};
    VkDebugUtilsMessengerEXT messenger = add_messenger(ALL_SEVERITIES, ALL_TYPES, &heard);
    struct vk_object_base object;
    vk_object_base_init(&object, &device, VK_OBJECT_TYPE_BUFFER);
    assert_null(vk_object_name(&object));
    assert_int_equal(name(VK_OBJECT_TYPE_BUFFER, &object, "vertices"), VK_SUCCESS);
    assert_int_equal(name(VK_OBJECT_TYPE_BUFFER, &object, "indices"), VK_SUCCESS);
    vk_device_error(&device, &object, "what");
    assert_string_equal(heard.name, "indices");
    assert_int_equal(heard.type, VK_OBJECT_TYPE_BUFFER);

    VkDebugUtilsObjectTagInfoEXT tag = vk_struct_init(VkDebugUtilsObjectTagInfoEXT);
    tag.objectType = VK_OBJECT_TYPE_BUFFER;
    tag.objectHandle = (uintptr_t)&object;
    tag.tagName = 77;
    tag.tagSize = 4;
    tag.pTag = "abc";
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(vk_common_SetDebugUtilsObjectTagEXT(dev(), &tag), VK_SUCCESS);
    assert_int_equal(object.debug->tag_name, 77);
    assert_string_equal(object.debug->tag, "abc");

    assert_int_equal(name(VK_OBJECT_TYPE_BUFFER, &object, ""), VK_SUCCESS); /* takes it away */
    assert_null(vk_object_name(&object));
    assert_int_equal(name(VK_OBJECT_TYPE_BUFFER, &object, "last"), VK_SUCCESS);
    int before = alive;
    vk_object_base_finish(&object);
    assert_int_equal(alive, before - 3); /* name, tag and what held them */

    /* Above the device; and what may not be ours is left alone. */
    assert_int_equal(name(VK_OBJECT_TYPE_INSTANCE, instance, "instance"), VK_SUCCESS);
    assert_int_equal(name(VK_OBJECT_TYPE_PHYSICAL_DEVICE, &physical, "gpu"), VK_SUCCESS);
    assert_int_equal(name(VK_OBJECT_TYPE_DEVICE, &device, "device"), VK_SUCCESS);
    assert_int_equal(name(VK_OBJECT_TYPE_SURFACE_KHR, (void *)8, "the loader's"), VK_SUCCESS);
    assert_string_equal(vk_object_name(&physical.base), "gpu");
    vk_common_DestroyDebugUtilsMessengerEXT(instance, messenger, NULL);
}

static VkDebugUtilsLabelEXT label(const char *text)
{
    VkDebugUtilsLabelEXT label = vk_struct_init(VkDebugUtilsLabelEXT);
    label.pLabelName = text;
    return label;
}

static void labels_nest_and_a_place_lasts_to_the_next_label(void **state)
{
    struct heard heard = {0};
    VkDebugUtilsMessengerEXT messenger = add_messenger(ALL_SEVERITIES, ALL_TYPES, &heard);
    struct vk_queue queue;
    vk_object_base_init(&queue.base, &device, VK_OBJECT_TYPE_QUEUE);
    struct vk_command_buffer command_buffer = {0};
    vk_object_base_init(&command_buffer.base, &device, VK_OBJECT_TYPE_COMMAND_BUFFER);
    VkQueue q = vk_queue_to_handle(&queue);
    VkCommandBuffer c = vk_command_buffer_to_handle(&command_buffer);
    VkDebugUtilsLabelEXT frame = label("frame"), pass = label("pass"), here = label("here"), there = label("there");

    vk_common_QueueEndDebugUtilsLabelEXT(q); /* nothing to end */
    vk_common_QueueBeginDebugUtilsLabelEXT(q, &frame);
    vk_common_QueueInsertDebugUtilsLabelEXT(q, &here);
    vk_device_error(&device, &queue.base, "x");
    assert_string_equal(heard.labels, "q:hereq:frame");
    vk_common_QueueInsertDebugUtilsLabelEXT(q, &there);
    vk_device_error(&device, &queue.base, "x");
    assert_string_equal(heard.labels, "q:thereq:frame");
    vk_common_QueueEndDebugUtilsLabelEXT(q);
    vk_device_error(&device, &queue.base, "x");
    assert_string_equal(heard.labels, "");

    vk_common_CmdBeginDebugUtilsLabelEXT(c, &frame);
    vk_common_CmdBeginDebugUtilsLabelEXT(c, &pass);
    vk_common_CmdInsertDebugUtilsLabelEXT(c, &here);
    vk_device_error(&device, &command_buffer.base, "x");
    assert_string_equal(heard.labels, "c:herec:passc:frame");
    vk_common_CmdEndDebugUtilsLabelEXT(c);
    vk_device_error(&device, &command_buffer.base, "x");
    assert_string_equal(heard.labels, "c:frame");
    vk_object_drop_labels(&command_buffer.base);
    vk_device_error(&device, &command_buffer.base, "x");
    assert_string_equal(heard.labels, "");
    vk_common_CmdBeginDebugUtilsLabelEXT(c, &frame); /* left open */
    vk_object_base_finish(&command_buffer.base);
    vk_object_base_finish(&queue.base);
    vk_common_DestroyDebugUtilsMessengerEXT(instance, messenger, NULL);
}

static void without_memory_nothing_is_kept_and_an_error_is_told(void **state)
{
    struct heard heard = {0};
    VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(ALL_SEVERITIES, ALL_TYPES, &heard);
    VkDebugUtilsMessengerEXT messenger;
    VkDebugReportCallbackCreateInfoEXT report_info = vk_struct_init(VkDebugReportCallbackCreateInfoEXT);
    VkDebugReportCallbackEXT report;
    struct vk_object_base object;
    vk_object_base_init(&object, &device, VK_OBJECT_TYPE_BUFFER);
    struct vk_command_buffer command_buffer = {0};
    vk_object_base_init(&command_buffer.base, &device, VK_OBJECT_TYPE_COMMAND_BUFFER);
    VkDebugUtilsLabelEXT frame = label("frame");
    VkDeferredOperationKHR operation;

    allocations_left = 0;
    assert_int_equal(vk_common_CreateDebugUtilsMessengerEXT(instance, &info, NULL, &messenger),
                     VK_ERROR_OUT_OF_HOST_MEMORY);
    assert_int_equal(vk_common_CreateDebugReportCallbackEXT(instance, &report_info, NULL, &report),
                     VK_ERROR_OUT_OF_HOST_MEMORY);
    assert_int_equal(vk_common_CreateDeferredOperationKHR(dev(), NULL, &operation), VK_ERROR_OUT_OF_HOST_MEMORY);
    for (allocations_left = 0; allocations_left < 2;) {
        int left = allocations_left;
        assert_int_equal(name(VK_OBJECT_TYPE_BUFFER, &object, "n"), VK_ERROR_OUT_OF_HOST_MEMORY);
        vk_common_CmdBeginDebugUtilsLabelEXT(vk_command_buffer_to_handle(&command_buffer), &frame);
        assert_int_equal(command_buffer.result, VK_ERROR_OUT_OF_HOST_MEMORY);
        vk_object_base_finish(&object);
        vk_object_base_init(&object, &device, VK_OBJECT_TYPE_BUFFER);
        allocations_left = left + 1;
    }
    allocations_left = -1;
    vk_object_base_finish(&object);
    vk_object_base_finish(&command_buffer.base);
    vk_device_error(&device, NULL, "nobody");
    assert_int_equal(heard.count, 0);

    /* An instance whose chain cannot be kept is none. */
    VkInstanceCreateInfo create = vk_struct_init(VkInstanceCreateInfo);
    create.pNext = &info;
    VkInstance other;
    int before = alive;
    for (int left = 0; left < 2; left++) {
        allocations_left = left;
        assert_int_equal(vk_instance_create(&icd, &create, &callbacks, &other), VK_ERROR_OUT_OF_HOST_MEMORY);
        assert_int_equal(alive, before);
    }
    allocations_left = -1;
}

/* ---- deferred operations ---- */

static void a_deferred_operation_is_always_complete(void **state)
{
    VkDeferredOperationKHR operation;
    assert_int_equal(vk_common_CreateDeferredOperationKHR(dev(), NULL, &operation), VK_SUCCESS);
    assert_int_equal(vk_common_GetDeferredOperationMaxConcurrencyKHR(dev(), operation), 0);
    assert_int_equal(vk_common_DeferredOperationJoinKHR(dev(), operation), VK_SUCCESS);
    assert_int_equal(vk_common_GetDeferredOperationResultKHR(dev(), operation), VK_SUCCESS);
    vk_common_DestroyDeferredOperationKHR(dev(), operation, NULL);
    vk_common_DestroyDeferredOperationKHR(dev(), VK_NULL_HANDLE, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_messenger_hears_what_it_asked_for),
        TEST(the_loss_of_a_device_is_told_once),
        TEST(an_application_can_send_messages_itself),
        TEST(report_callbacks_hear_the_same_in_their_own_words),
        TEST(those_of_the_create_info_listen_at_the_ends_alone),
        TEST(a_name_comes_with_messages_and_dies_with_its_object),
        TEST(labels_nest_and_a_place_lasts_to_the_next_label),
        TEST(without_memory_nothing_is_kept_and_an_error_is_told),
        TEST(a_deferred_operation_is_always_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
