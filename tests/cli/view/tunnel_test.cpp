#include "cli/view/tunnel.h"

#include <gmock/gmock.h>

namespace fovea::cli {
namespace {

TEST(Tunnel, LeadsToTheAddressByWhichTheUserHasCome) {
  EXPECT_EQ(tunnel_line(8000, "10.0.0.3 51234 10.0.0.7 22", "ann"),
            "ssh -L 8000:localhost:8000 ann@10.0.0.7");
  EXPECT_EQ(tunnel_line(80, "fe80::1%eth0 5 fe80::2%eth0 22", "ann"),
            "ssh -L 80:localhost:80 ann@fe80::2%eth0");
}

TEST(Tunnel, MakesUpNoUser) {
  EXPECT_EQ(tunnel_line(8000, "10.0.0.3 51234 10.0.0.7 22", ""),
            "ssh -L 8000:localhost:8000 10.0.0.7");
}

TEST(Tunnel, NamesAPortThatIsNotThatOfSsh) {
  EXPECT_EQ(tunnel_line(8000, "10.0.0.3 51234 10.0.0.7 2222", "ann"),
            "ssh -p 2222 -L 8000:localhost:8000 ann@10.0.0.7");
}

TEST(Tunnel, IsNotThereWithoutSsh) {
  for (const char* connection : {"", "10.0.0.3 51234", "10.0.0.3 51234  22", "a b c d e"})
    EXPECT_EQ(tunnel_line(8000, connection, "ann"), "") << connection;
}

TEST(Tunnel, QuotesWhatAShellWouldReadOtherwise) {
  EXPECT_EQ(tunnel_line(8000, "1 2 10.0.0.7 22", "a n"),
            "ssh -L 8000:localhost:8000 'a n@10.0.0.7'");
}

}  // namespace
}  // namespace fovea::cli
