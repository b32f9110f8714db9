// What a process costs at least: the measure of `cold`.
int main() {}
