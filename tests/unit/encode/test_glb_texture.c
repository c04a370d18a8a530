/*
 * Pictures on meshes (server/encode/glb_texture.c), where HTTP tests do not reach: files that are no mesh of ours, and memory that
 * is short. What comes out of whole ones is read back by tests/http/test_mesh.py.
 */
#include "../unit.h"

#include "../../../server/encode/glb.h"
#include "../mesh_kit.h"
#include "../shortage_kit.h"

static const unsigned char PICTURE[] = "not read";

enum { SIDE = 5 };

struct file {
    unsigned char *data;
    size_t bytes;
};

static struct file plain(bool quantised)
{
    struct mesh_ground ground = mesh_kit_ground(SIDE, 4, 20);
    struct file file;
    assert_int_equal(encode_glb(&ground, quantised, &file.data, &file.bytes), 0);
    mesh_kit_free(&ground);
    return file;
}

/* Of a copy that ends with its last byte, so that a sanitizer sees what is read beyond. Frees what comes out. */
static int texture(const struct file *file, size_t bytes)
{
    unsigned char *copy = malloc(bytes ? bytes : 1), *data = NULL;
    size_t made = 0;
    assert_non_null(copy);
    memcpy(copy, file->data, bytes);
    const int result = glb_texture(copy, bytes, PICTURE, sizeof PICTURE, 257, &data, &made);
    assert_true(result == 0 ? data != NULL && made > bytes : data == NULL && made == 0);
    free(copy);
    free(data);
    return result;
}

TEST(cut_files_are_none)
{
    struct file file = plain(false);
    assert_int_equal(texture(&file, file.bytes), 0);
    for (size_t bytes = 0; bytes < file.bytes; bytes++)
        assert_int_equal(texture(&file, bytes), -1);
    free(file.data);
}

TEST(short_memory_is_said)
{
#ifdef SHORTAGE_HOOKED
    struct file file = plain(true);
    unsigned char *data = NULL;
    size_t bytes;
    int failed = 0;
    for (long n = 0; !data; n++) {
        const long living = atomic_load(&heap.living);
        heap_fail(n, n + 1);
        const int result = glb_texture(file.data, file.bytes, PICTURE, sizeof PICTURE, 257, &data, &bytes);
        heap_fail(0, 0);
        if (result != 0) {
            assert_null(data);
            assert_int_equal(atomic_load(&heap.living), living);
            failed++;
        }
    }
    assert_true(failed > 20);
    free(data);
    free(file.data);
#endif
}

GROUP(glb_texture);
