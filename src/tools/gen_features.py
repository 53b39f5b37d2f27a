"""Writes the table of Vulkan's core features, version by version, from the registry: names and places for `tuff info`."""
import argparse
import pathlib
import sys
import xml.etree.ElementTree as ET

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "vulkan/runtime/gen"))
import vk_newer  # noqa: E402

# In a chain of VkPhysicalDeviceFeatures2, in this order.
STRUCTS = ("VkPhysicalDeviceFeatures", "VkPhysicalDeviceVulkan11Features", "VkPhysicalDeviceVulkan12Features", "VkPhysicalDeviceVulkan13Features",
           "VkPhysicalDeviceVulkan14Features")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--xml", required=True)
    parser.add_argument("--header", required=True)
    options = parser.parse_args()
    root = ET.parse(options.xml).getroot()
    vk_newer.merge(root)
    lines = ["/* Generated from vk.xml: FEATURE(which structure of the chain, its type, member). */"]
    for index, name in enumerate(STRUCTS):
        struct = root.find(f"types/type[@name='{name}']")
        for member in struct.findall("member"):
            if member.find("type").text == "VkBool32":
                lines.append(f"FEATURE({index}, {name}, {member.find('name').text})")
    with open(options.header, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
