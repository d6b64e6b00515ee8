// Stand-ins for two decoders that Debian's libtiff calls and that the Python package leaves out: JBIG, whose library is
// under the GPL, and LERC, whose library is larger than libtiff itself. scripts/wheel links its copy of libtiff with
// this file in their place. Each call fails, so that a TIFF with such a compression is refused with an error.
#include <stddef.h>

enum { kFailed = 1 };

// By this name the library knows that it runs with these stand-ins, and says so in its error.
const char fovea_missing_codecs = 1;

void jbg_dec_init(void* decoder) { (void)decoder; }
void jbg_dec_free(void* decoder) { (void)decoder; }
void jbg_newlen(unsigned char* file, size_t bytes) { (void)file, (void)bytes; }
unsigned long jbg_dec_getsize(const void* decoder) { return (void)decoder, 0; }
unsigned char* jbg_dec_getimage(const void* decoder, int plane) {
  return (void)decoder, (void)plane, NULL;
}
int jbg_dec_in(void* decoder, unsigned char* data, size_t bytes, size_t* used) {
  return (void)decoder, (void)data, (void)bytes, (void)used, kFailed;
}
const char* jbg_strerror(int number) { return (void)number, "this package reads no JBIG"; }

// Nothing in the package writes JBIG or LERC; libtiff only needs the names.
void jbg_enc_init(void) {}
void jbg_enc_out(void) {}
void jbg_enc_free(void) {}

unsigned lerc_getBlobInfo(void) { return kFailed; }
unsigned lerc_decode(void) { return kFailed; }
unsigned lerc_encodeForVersion(void) { return kFailed; }
