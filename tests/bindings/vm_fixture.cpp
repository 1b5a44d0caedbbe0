#include "tests/bindings/vm_fixture.h"

#include <boost/asio/io_context.hpp>

namespace qa::lua {

// A stopped io_context runs nothing until it is restarted.
void VmFixture::restart() { loop.io().restart(); }

}  // namespace qa::lua
