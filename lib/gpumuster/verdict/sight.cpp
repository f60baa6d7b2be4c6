#include "gpumuster/verdict/sight.hpp"

#include <fmt/format.h>

namespace gpumuster {

Sight sight_of(const HostReadings& readings) {
    if (readings.asked == ProbeLevel::minimal)
        return {"--probe minimal asks for no processes",
                "leave out --probe minimal to see who holds it"};
    if (!readings.frame_seen)
        return {"this login answers only the plain query, not who holds it",
                "use a login that runs /bin/sh on {host} to see who holds it"};
    if (readings.initial_pid_namespace == false)
        return {"no process of it is visible in this container (PID namespace)",
                "look on the machine that runs the container: nvidia-smi"};
    if (readings.process_query.outcome != QueryOutcome::answered)
        return {"nvidia-smi could not list processes", {}};
    if (readings.effective_uid.value_or(0) != 0)
        return {"nvidia-smi lists no process of it to this user",
                "on {host}: sudo fuser -v /dev/nvidia* shows what other users hold"};
    return {"nvidia-smi lists no process here", {}};
}

std::string mib_text(std::int64_t least, std::int64_t most) {
    return least == most ? fmt::format("{} MiB", least) : fmt::format("{}-{} MiB", least, most);
}

}  // namespace gpumuster
