// What a job of PBS or LSF asks for and starts.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/batch/read/draft.h"
#include "targets/slurm/read/component.h"

namespace muster::targets::batch {
namespace {

using slurm::Known;

template <class T>
Known<T> known(T value, std::int32_t by) {
  return {Known<T>::State::known, std::move(value), by, {}};
}

template <class T>
Known<T> unclear(std::string reason, std::int32_t by) {
  return {Known<T>::State::unclear, {}, by, std::move(reason)};
}

class AsAsked {
 public:
  explicit AsAsked(const Draft& draft) : draft_(draft), shape_(draft.shape) {}

  slurm::Component component() {
    read_nodes();
    read_gpus();
    read_options();
    return std::move(out_);
  }

 private:
  std::int32_t index_of(const DirectivePart* part) const {
    return part == nullptr ? slurm::no_directive : static_cast<std::int32_t>(part - draft_.script.parts.data());
  }
  const DirectivePart* part_at(Span where) const {
    return part_if([&](const DirectivePart& p) { return p.span == where; });
  }
  template <class Test>
  const DirectivePart* part_if(const Test& test) const {
    const auto at = std::find_if(draft_.script.parts.begin(), draft_.script.parts.end(), test);
    return at == draft_.script.parts.end() ? nullptr : &*at;
  }

  bool is_placed() const { return shape_.exact && !shape_.spread; }
  std::string open_placement() const {
    if (draft_.script.system == System::lsf) return "LSF may spread the slots over any hosts";
    return shape_.totals ? "PBS may place several chunks on one node" : "the chunks differ, or one is not a number";
  }

  void read_nodes() {
    const std::int32_t by = index_of(part_at(shape_.where));
    out_.nodes =
        is_placed() ? known(slurm::Range{shape_.nodes, shape_.nodes}, by) : unclear<slurm::Range>(open_placement(), by);
    if (shape_.spread) out_.tasks = known(*shape_.spread, by);
    if (!shape_.tasks_said || !is_placed()) return;
    out_.tasks = known(shape_.nodes * shape_.tasks, by);
    out_.tasks_per_node = known(shape_.tasks, by);
    if (shape_.cpus && *shape_.cpus % shape_.tasks == 0) out_.cpus_per_task = known(*shape_.cpus / shape_.tasks, by);
  }

  // Without a number the queue may give GPUs, or whole nodes with all they have.
  void read_gpus() {
    if (!shape_.gpus) return;
    const std::int32_t by =
        index_of(part_if([](const DirectivePart& p) { return p.option.find("gpu") != std::string::npos; }));
    if (!is_placed()) {
      out_.gpus_per_node = unclear<std::vector<slurm::GpuCount>>(open_placement(), by);
      out_.gpus_a_node = shell::unknown(open_placement());
      out_.gpus_in_all = shape_.totals && !shape_.spread ? shell::known(*shape_.gpus * shape_.nodes) : out_.gpus_a_node;
      return;
    }
    out_.gpus_per_node = known(std::vector<slurm::GpuCount>{{draft_.shape.gpu_model, *shape_.gpus}}, by);
    out_.gpus_a_node = shell::known(*shape_.gpus);
    out_.gpus_in_all = shell::known(*shape_.gpus * shape_.nodes);
  }

  void read_options() {
    const model::Workload& job = draft_.out.workload;
    read_time(job.time_limit);
    if (job.sweep) read_array(*job.sweep);
    const auto& exclusive = job.roles.front().resources.exclusive;
    if (exclusive && exclusive->value)
      out_.exclusive = known(slurm::Exclusive::node, index_of(part_at(exclusive->span)));
    const std::string_view name = draft_.script.system == System::lsf ? "-J" : "-N";
    if (const DirectivePart* p = last_part(draft_.script, name)) out_.job_name = known(p->value, index_of(p));
    if (const DirectivePart* p = last_part(draft_.script, "-q"))
      out_.partitions = known(std::vector<std::string>{p->value}, index_of(p));
  }

  void read_time(const model::Optional<Duration>& limit) {
    const bool lsf = draft_.script.system == System::lsf;
    const DirectivePart* part = lsf ? last_part(draft_.script, "-W") : first_part(draft_.script, "-l walltime");
    if (part == nullptr) return;
    if (!limit) {
      out_.time = unclear<slurm::TimeLimit>("`" + printable(part->value, 40) + "` is not a time", index_of(part));
      return;
    }
    const std::int64_t seconds = limit->value.ms / 1000;
    out_.time = known(slurm::TimeLimit{seconds, (seconds + 59) / 60, false}, index_of(part));
  }

  void read_array(const model::Sweep& sweep) {
    const DirectivePart* part = part_at(sweep.span);
    slurm::Array array;
    array.count = static_cast<std::int64_t>(sweep.axes.front().values.size());
    if (part != nullptr) array.ids = between_brackets(part->value);
    if (sweep.max_parallel) array.throttle = sweep.max_parallel->value;
    out_.array = known(std::move(array), index_of(part));
  }

  // "1-10" of `-J "fit[1-10]%2"`; all of `-J 1-10`, without the number that run at once.
  static std::string between_brackets(std::string_view value) {
    value = value.substr(0, value.rfind('%'));
    const std::size_t open = value.find('[');
    return std::string(open == std::string_view::npos ? value : trimmed(value.substr(open + 1), "]"));
  }

  const Draft& draft_;
  const NodeShape& shape_;
  slurm::Component out_;
};

}  // namespace

Asked asked_by(const Draft& draft) {
  Asked out{slurm::read_body(draft.sources, draft.script.text), {}};
  slurm::Meaning& meaning = out.meaning;
  meaning.components.push_back(AsAsked(draft).component());
  meaning.starts = slurm::find_starts(out.body, meaning.components, std::nullopt, meaning.remarks);
  return out;
}

}  // namespace muster::targets::batch
