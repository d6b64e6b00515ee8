"""Results as dictionaries in the form of COCO."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._arguments import text, whole_number


def coco_image(
    file_name: Any, image_id: Any, size: tuple[int, int], category: str, found: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    """One image of a width and a height, and an annotation for each thing that was found, all of one category."""
    text(file_name, "file_name")
    number = whole_number(image_id, "image_id")
    annotations = [
        {"id": i, "image_id": number, "category_id": 1, "iscrowd": 0, **each} for i, each in enumerate(found, 1)
    ]
    return {
        "images": [{"id": number, "file_name": file_name, "width": size[0], "height": size[1]}],
        "annotations": annotations,
        "categories": [{"id": 1, "name": category}],
    }
