"""A folder as a pack of Godot 4: head, table, files."""

import hashlib
import struct

HEAD, ALIGN = 4 * 5 + 4 + 8 + 4 * 16, 32


def pack(folder):
    files = {f"res://{path.relative_to(folder).as_posix()}": path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    table, data = struct.pack("<I", len(files)), b""
    for name, body in files.items():
        text = name.encode() + bytes(-len(name.encode()) % 4)
        table += struct.pack("<I", len(text)) + text + struct.pack("<QQ", len(data), len(body)) + hashlib.md5(body).digest() + bytes(4)
        data += body + bytes(-len(body) % ALIGN)
    start = (HEAD + len(table) + ALIGN - 1) // ALIGN * ALIGN
    head = b"GDPC" + struct.pack("<IIIIIQ", 2, 4, 0, 0, 0, start) + bytes(64)
    return (head + table).ljust(start, b"\0") + data
