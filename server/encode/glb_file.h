/*
 * The container of glTF 2.0: a header, a chunk of JSON, a chunk of numbers that it describes.
 */
#ifndef TERRANE_SERVER_GLB_FILE_H
#define TERRANE_SERVER_GLB_FILE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum { GLB_U16 = 5123, GLB_U32 = 5125, GLB_F32 = 5126, GLB_I8 = 5120 }; /* glTF's names of numbers */
enum { GLB_VERTICES = 34962, GLB_INDICES = 34963 };                     /* ... and of what they are for */

/*
 * malloc'ed bytes in *data, *bytes and 0; -1 when memory is short, also for a document that is NULL because of that. Takes the
 * document. numbers: of the second chunk, a multiple of four, which put writes; 0: there is none.
 */
int glb_file(json_t *document, size_t numbers, void (*put)(unsigned char *at, const void *context),
             const void *context, unsigned char **data, size_t *bytes);

#endif
